import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import type { AnswerType } from '../../reasoning/prompt.js';

const MAX_OPTIONS = 26; // one letter each
const MAX_TEXT = 4000;
const MAX_OPTION = 500;

/** Form fields are strings: JSON where they hold it, themselves otherwise. */
function fromForm(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

export class ReasonDto {
  @ApiProperty({
    description: 'What you want to know.',
    example: 'Which way did I turn?',
    maxLength: MAX_TEXT,
  })
  @IsString({ message: 'question is missing: say what you want to know, as text' })
  @IsNotEmpty({ message: 'question is empty' })
  @MaxLength(MAX_TEXT, { message: `question is longer than ${MAX_TEXT} characters` })
  question!: string;

  @ApiPropertyOptional({
    type: [String],
    minItems: 2,
    maxItems: MAX_OPTIONS,
    description: 'Choices, without letters. In a form: a JSON array, or the field repeated.',
    example: ['left', 'right'],
  })
  @IsOptional()
  @Transform(({ value }) => fromForm(value))
  @IsArray({ message: 'options must be a list of texts' })
  @ArrayMinSize(2, { message: 'options needs at least 2 choices' })
  @ArrayMaxSize(MAX_OPTIONS, { message: `options has more than ${MAX_OPTIONS} choices` })
  @IsString({ each: true, message: 'options must be texts' })
  @IsNotEmpty({ each: true, message: 'options must not be empty texts' })
  @MaxLength(MAX_OPTION, {
    each: true,
    message: `options must not be longer than ${MAX_OPTION} characters each`,
  })
  options?: string[];

  @ApiPropertyOptional({
    enum: ['choice', 'number', 'text'],
    description: '`choice` when there are options, else `text`.',
  })
  @IsOptional()
  @IsIn(['choice', 'number', 'text'], { message: 'answer_type must be choice, number or text' })
  answer_type?: AnswerType;

  @ApiPropertyOptional({
    description:
      'The right answer, if you know it: option letter, number or text. It is kept for training and never shown to the model.',
  })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'number' ? String(value) : value))
  @IsString({ message: 'ground_truth must be a text or a number' })
  @MaxLength(MAX_TEXT)
  ground_truth?: string;

  @ApiPropertyOptional({ description: 'Answer as server-sent events while things happen.', default: false })
  @IsOptional()
  @Transform(({ value }) => fromForm(value))
  @IsBoolean({ message: 'stream must be true or false' })
  stream?: boolean;

  @ApiPropertyOptional({
    description: 'An http(s) address of a video, instead of an upload.',
    example: 'https://example.org/clip.mp4',
  })
  @IsOptional()
  @IsString({ message: 'video_url must be a text' })
  @MaxLength(2048, { message: 'video_url is longer than 2048 characters' })
  video_url?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'A live or finished session to ask, instead of a video.',
  })
  @IsOptional()
  @IsUUID(undefined, { message: 'session_id must be a UUID' })
  session_id?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'Pictures in order (JPEG, PNG or WebP) as base64 or data URLs, instead of a video.',
  })
  @IsOptional()
  @IsArray({ message: 'frames must be a list of base64 pictures' })
  @ArrayMinSize(1, { message: 'frames is empty' })
  @IsString({ each: true, message: 'frames must be base64 texts' })
  frames?: string[];

  @ApiPropertyOptional({
    type: [Number],
    description: 'Times of the frames in milliseconds, rising; evenly spaced at SAMPLE_FPS when missing.',
  })
  @IsOptional()
  @IsArray({ message: 'frame_timestamps_ms must be a list of numbers' })
  @IsNumber({}, { each: true, message: 'frame_timestamps_ms must be numbers' })
  frame_timestamps_ms?: number[];

  @ApiPropertyOptional({ description: 'Sampling temperature; 0 is greedy. LM_TEMPERATURE when missing.' })
  @IsOptional()
  @Transform(({ value }) => fromForm(value))
  @IsNumber({}, { message: 'temperature must be a number' })
  @Min(0, { message: 'temperature must not be below 0' })
  @Max(2, { message: 'temperature must not be above 2' })
  temperature?: number;

  @ApiPropertyOptional({ description: 'Makes a sampled answer repeatable.' })
  @IsOptional()
  @Transform(({ value }) => fromForm(value))
  @IsInt({ message: 'seed must be a whole number' })
  @Min(0, { message: 'seed must not be below 0' })
  @Max(2_147_483_647, { message: 'seed must not be above 2147483647' })
  seed?: number;
}

/** The same with the file, for the documentation of the form. */
export class ReasonFormDto extends ReasonDto {
  @ApiPropertyOptional({ type: 'string', format: 'binary', description: 'The video (form only).' })
  video?: unknown;
}

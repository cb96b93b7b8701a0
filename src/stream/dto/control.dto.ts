import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
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
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { ReasonDto } from '../../reason/dto/reason.dto.js';

// What the client sends, each class the `data` of one event.

const MAX_ID = 64;
const MAX_WAIT_MS = 86_400_000;

export class OpenDto {}

export class ResumeDto {
  @ApiProperty({ format: 'uuid', description: 'The session to go on with.' })
  @IsUUID(undefined, { message: 'session_id must be the UUID that session.ready told' })
  session_id!: string;
}

export class ObserveDto extends ResumeDto {
  @ApiPropertyOptional({ description: 'Whether keyframes come with a small picture.', default: false })
  @IsOptional()
  @IsBoolean({ message: 'thumbnails must be true or false' })
  thumbnails?: boolean;

  @ApiPropertyOptional({ description: 'STREAM_OBSERVER_TOKEN, where the server has one.' })
  @IsOptional()
  @IsString({ message: 'token must be a text' })
  @MaxLength(512)
  token?: string;
}

export class CloseDto {}

export class CancelDto {
  @ApiProperty({ description: 'The question to drop.', maxLength: MAX_ID })
  @IsString({ message: 'question_id must be a text' })
  @IsNotEmpty({ message: 'question_id is empty' })
  @MaxLength(MAX_ID, { message: `question_id is longer than ${MAX_ID} characters` })
  question_id!: string;
}

export class AskDto extends PickType(ReasonDto, [
  'question',
  'options',
  'answer_type',
  'ground_truth',
  'temperature',
  'seed',
] as const) {
  @ApiProperty({
    description:
      'Your name for the question; asked again under the same one, it goes on or is answered the same.',
    maxLength: MAX_ID,
    example: 'q1',
  })
  @IsString({ message: 'question_id is missing: give the question a name, as text' })
  @Matches(/^[\w.:-]{1,64}$/, {
    message: `question_id must have 1 to ${MAX_ID} letters, digits or any of . : - _`,
  })
  question_id!: string;

  @ApiPropertyOptional({
    description:
      'How long to wait for frames and percepts on their way. STREAM_QUESTION_DEADLINE_MS when missing.',
  })
  @IsOptional()
  @IsInt({ message: 'deadline_ms must be a whole number' })
  @Min(0, { message: 'deadline_ms must not be below 0' })
  @Max(600_000, { message: 'deadline_ms must not be above 600000' })
  deadline_ms?: number;

  @ApiPropertyOptional({
    enum: ['now', 'wait'],
    default: 'now',
    description: '`wait` for a standing question, answered once the model is confident.',
  })
  @IsOptional()
  @IsIn(['now', 'wait'], { message: 'mode must be now or wait' })
  mode?: 'now' | 'wait';

  @ApiPropertyOptional({
    type: [String],
    description: 'Answers that end the waiting (letters, option texts, numbers or texts); any when missing.',
    example: ['A'],
  })
  @IsOptional()
  @IsArray({ message: 'until must be a list of answers' })
  @ArrayMinSize(1, { message: 'until is empty: leave it out to wait for any answer' })
  @ArrayMaxSize(26, { message: 'until has more than 26 answers' })
  @IsString({ each: true, message: 'until must be texts' })
  @MaxLength(500, { each: true, message: 'until must not be longer than 500 characters each' })
  until?: string[];

  @ApiPropertyOptional({
    description: 'Share of the sampled completions that must agree. STREAM_WAIT_CONFIDENCE when missing.',
  })
  @IsOptional()
  @IsNumber({}, { message: 'min_confidence must be a number' })
  @Min(0, { message: 'min_confidence must not be below 0' })
  @Max(1, { message: 'min_confidence must not be above 1' })
  min_confidence?: number;

  @ApiPropertyOptional({ description: 'How long the question stands; STREAM_WAIT_MAX_MS at most.' })
  @IsOptional()
  @IsInt({ message: 'timeout_ms must be a whole number' })
  @Min(1, { message: 'timeout_ms must be at least 1' })
  @Max(MAX_WAIT_MS, { message: `timeout_ms must not be above ${MAX_WAIT_MS}` })
  timeout_ms?: number;
}

export class PingDto {
  @ApiPropertyOptional({ description: 'Comes back in the pong.', maxLength: MAX_ID })
  @IsOptional()
  @IsString({ message: 'nonce must be a text' })
  @MaxLength(MAX_ID, { message: `nonce is longer than ${MAX_ID} characters` })
  nonce?: string;
}

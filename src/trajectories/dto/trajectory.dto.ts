import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { KeyframeDto } from '../../reason/dto/answer.dto.js';

const PAGE = 50;
const MAX_PAGE = 200;

export class TrajectoryQueryDto {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only those of this session.' })
  @IsOptional()
  @IsUUID(undefined, { message: 'session_id must be a UUID' })
  session_id?: string;

  @ApiPropertyOptional({ description: 'Only those of this policy version.' })
  @IsOptional()
  @IsString({ message: 'policy_version must be a text' })
  @MaxLength(200)
  policy_version?: string;

  @ApiPropertyOptional({ format: 'uuid', description: '`next_cursor` of the page before.' })
  @IsOptional()
  @IsUUID(undefined, { message: 'cursor must be the next_cursor of the page before' })
  cursor?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_PAGE, default: PAGE })
  @Type(() => Number)
  @IsInt({ message: 'limit must be a whole number' })
  @Min(1, { message: 'limit must be at least 1' })
  @Max(MAX_PAGE, { message: `limit must be at most ${MAX_PAGE}` })
  limit: number = PAGE;
}

export class QuestionDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) session_id!: string;
  @ApiProperty() text!: string;
  @ApiProperty({ type: [String] }) options!: string[];
  @ApiProperty({ enum: ['choice', 'number', 'text'] }) answer_type!: string;
  @ApiProperty({ type: String, nullable: true }) ground_truth!: string | null;
}

export class TrajectorySummaryDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ type: QuestionDto }) question!: QuestionDto;
  @ApiProperty({ type: String, nullable: true }) answer!: string | null;
  @ApiProperty() thinking!: string;
  @ApiProperty() finish_reason!: string;
  @ApiProperty() policy_version!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' } }) usage!: {
    prompt_tokens: number;
    completion_tokens: number;
  };
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' } }) timings_ms!: unknown;
  @ApiProperty() seen_until_ms!: number;
  @ApiProperty({
    type: [String],
    description: 'Keyframes that the thinking refers to, or all that the model was given.',
  })
  evidence_keyframe_ids!: string[];
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Share of the sampled completions that agreed, for a standing question.',
  })
  confidence!: number | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

export class TrajectoryListDto {
  @ApiProperty({ type: [TrajectorySummaryDto] }) items!: TrajectorySummaryDto[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pass as `cursor` for the next page; null on the last one.',
  })
  next_cursor!: string | null;
}

export class StoredPerceptDto {
  @ApiProperty({ format: 'uuid' }) keyframe_id!: string;
  @ApiProperty() text!: string;
  @ApiProperty({ example: 'local' }) perceiver!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Actions, objects, what is gone, contradiction.',
  })
  content!: unknown;
}

export class StoredSessionDto {
  @ApiProperty({ enum: ['upload', 'url', 'frames', 'stream', 'replay'] }) source!: string;
  @ApiProperty() duration_ms!: number;
  @ApiProperty() frame_count!: number;
  @ApiProperty({ type: [String] }) warnings!: string[];
}

export class TrajectoryDto extends TrajectorySummaryDto {
  @ApiProperty({
    description: 'Chat messages as given to the model.',
    type: 'array',
    items: { type: 'object' },
  })
  prompt!: unknown;
  @ApiProperty({ type: [Number] }) prompt_token_ids!: number[];
  @ApiProperty() completion!: string;
  @ApiProperty({ type: [Number], description: 'As sampled, never re-tokenised.' })
  completion_token_ids!: number[];
  @ApiProperty({ type: [Number] }) logprobs!: number[];
  @ApiProperty({ type: 'object', additionalProperties: true }) sampling!: unknown;
  @ApiProperty({ type: StoredSessionDto }) session!: StoredSessionDto;
  @ApiProperty({ type: [KeyframeDto] }) keyframes!: KeyframeDto[];
  @ApiProperty({ type: [StoredPerceptDto] }) percepts!: StoredPerceptDto[];
}

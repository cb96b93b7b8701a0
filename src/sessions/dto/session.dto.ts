import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsOptional, IsUUID, Max, Min } from 'class-validator';
import { KeyframeDto, PerceptDto } from '../../reason/dto/answer.dto.js';
import { ReasonDto } from '../../reason/dto/reason.dto.js';

const PAGE = 50;
const MAX_PAGE = 200;

export class SessionQueryDto {
  @ApiPropertyOptional({ enum: ['live', 'finished'] })
  @IsOptional()
  @IsIn(['live', 'finished'], { message: 'state must be live or finished' })
  state?: 'live' | 'finished';

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

export class SessionSummaryDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: ['upload', 'url', 'frames', 'stream', 'replay'] }) source!: string;
  @ApiProperty({ enum: ['live', 'finished'] }) state!: string;
  @ApiProperty({ description: 'Until the last frame that was perceived.' }) duration_ms!: number;
  @ApiProperty() frame_count!: number;
  @ApiProperty() keyframe_count!: number;
  @ApiProperty() question_count!: number;
  @ApiProperty({ type: [String] }) warnings!: string[];
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) ended_at!: string | null;
}

export class SessionDto extends SessionSummaryDto {
  @ApiProperty({ type: [KeyframeDto], description: 'The newest 500, in order.' }) keyframes!: KeyframeDto[];
  @ApiProperty({ type: [PerceptDto] }) percepts!: PerceptDto[];
}

export class SessionListDto {
  @ApiProperty({ type: [SessionSummaryDto] }) items!: SessionSummaryDto[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pass as `cursor` for the next page; null on the last one.',
  })
  next_cursor!: string | null;
}

export class ReplayDto extends PickType(ReasonDto, ['video_url', 'frames', 'frame_timestamps_ms'] as const) {
  @ApiPropertyOptional({ minimum: 0.1, maximum: 100, default: 1, description: 'Times real time.' })
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' ? Number(value) : value))
  @IsNumber({}, { message: 'speed must be a number' })
  @Min(0.1, { message: 'speed must be at least 0.1' })
  @Max(100, { message: 'speed must be at most 100' })
  speed: number = 1;
}

export class ReplayFormDto extends ReplayDto {
  @ApiPropertyOptional({ type: 'string', format: 'binary', description: 'The video (form only).' })
  video?: unknown;
}

export class ReplayStartedDto {
  @ApiProperty({ format: 'uuid', description: 'Observe it over WS /stream with session.observe.' })
  session_id!: string;
  @ApiProperty() speed!: number;
}

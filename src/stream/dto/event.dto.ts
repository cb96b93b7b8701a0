import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerDto, KeyframeDto, PerceptDto } from '../../reason/dto/answer.dto.js';
import type {
  AckData,
  QuestionEnded,
  SessionClosed,
  SessionEvents,
  StreamedAnswer,
  StreamedKeyframe,
  StreamedPercept,
  StreamError,
  ThrottleData,
  WaitData,
} from '../../sessions/live/session-events.js';
import type { ReadyData, StreamLimits } from '../session-ready.js';

// What the server sends, each class the `data` of one event. The classes implement what the code sends, so that the
// description cannot drift.

const ANSWER = { oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true };
const SHARE = { minimum: 0, maximum: 1 };

export class LimitsDto implements StreamLimits {
  @ApiProperty() max_fps!: number;
  @ApiProperty() max_bytes_per_s!: number;
  @ApiProperty() frame_max_bytes!: number;
  @ApiProperty() frame_max_pixels!: number;
  @ApiProperty() queue_frames!: number;
  @ApiProperty() max_questions!: number;
}

export class ReadyDto implements ReadyData {
  @ApiProperty({ format: 'uuid' }) session_id!: string;
  @ApiProperty({ enum: ['agent', 'observer'] }) role!: 'agent' | 'observer';
  @ApiProperty({ description: 'Whether the session was there before.' }) resumed!: boolean;
  @ApiProperty({ description: 'Sequence from which on frames are taken.' }) next_sequence!: number;
  @ApiProperty({ description: 'Frames that may be on their way without an answer.' }) credits!: number;
  @ApiProperty() seen_until_ms!: number;
  @ApiProperty() frame_count!: number;
  @ApiProperty() keyframe_count!: number;
  @ApiProperty({ type: LimitsDto }) limits!: LimitsDto;
}

export class AckDto implements AckData {
  @ApiProperty() sequence!: number;
  @ApiProperty({ description: 'From the first frame of the session.' }) timestamp_ms!: number;
  @ApiProperty({ description: 'Whether it became a keyframe.' }) kept!: boolean;
  @ApiProperty({ example: 'overlapping' }) reason!: string;
  @ApiProperty({ type: Number, nullable: true, ...SHARE }) overlap_ratio!: number | null;
  @ApiProperty() credits!: number;
}

export class StreamedKeyframeDto extends KeyframeDto implements StreamedKeyframe {
  @ApiProperty() sequence!: number;
  @ApiPropertyOptional({ description: 'A small picture as a data URL, for observers that asked for it.' })
  thumbnail?: string;
}

export class StreamedPerceptDto extends PerceptDto implements StreamedPercept {
  @ApiProperty() sequence!: number;
  @ApiProperty({ description: 'Position among the keyframes.' }) index!: number;
  @ApiProperty() timestamp_ms!: number;
}

export class AcceptedDto {
  @ApiProperty() question_id!: string;
  @ApiProperty({ description: 'What was seen until then counts.' }) moment_ms!: number;
}

export class DeltaDto {
  @ApiProperty() question_id!: string;
  @ApiProperty({ enum: ['thinking', 'answer'] }) part!: 'thinking' | 'answer';
  @ApiProperty() text!: string;
}

export class WaitDto implements WaitData {
  @ApiProperty() question_id!: string;
  @ApiProperty({ enum: ['wait', 'silent'] }) decision!: 'wait' | 'silent';
  @ApiProperty(ANSWER) candidate!: string | number | null;
  @ApiProperty({ description: 'Share of the samples that agree.', ...SHARE }) confidence!: number;
  @ApiProperty() seen_until_ms!: number;
}

export class StreamedAnswerDto extends AnswerDto implements StreamedAnswer {
  @ApiProperty() question_id!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Share of the samples that agreed; null for a question that did not stand.',
    ...SHARE,
  })
  confidence!: number | null;
}

export class QuestionEndedDto implements QuestionEnded {
  @ApiProperty() question_id!: string;
  @ApiProperty({ enum: ['cancelled', 'expired', 'session_closed'] }) reason!: QuestionEnded['reason'];
}

export class ThrottleDto implements ThrottleData {
  @ApiProperty({ enum: ['queue', 'frame_rate', 'byte_rate'] }) reason!: ThrottleData['reason'];
  @ApiProperty({ type: [Number], description: 'Sequences that were dropped.' }) dropped!: number[];
  @ApiProperty() dropped_total!: number;
  @ApiProperty() credits!: number;
}

export class StreamErrorDto implements StreamError {
  @ApiProperty({ example: 'urn:saccade:problem:frame_repeated' }) type!: string;
  @ApiProperty() title!: string;
  @ApiProperty() status!: number;
  @ApiProperty({ description: 'What is wrong, and what to do.' }) detail!: string;
  @ApiProperty({ example: 'frame_repeated' }) code!: string;
  @ApiPropertyOptional() field?: string;
  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'number' }] }) limit?: string | number;
  @ApiPropertyOptional() upstream?: string;
  @ApiProperty({ description: 'Whether the same may succeed later.' }) retryable!: boolean;
  @ApiPropertyOptional() request_id?: string;
  @ApiPropertyOptional({ description: 'The frame it is about.' }) sequence?: number;
  @ApiPropertyOptional({ description: 'The question it is about.' }) question_id?: string;
}

export class SessionClosedDto implements SessionClosed {
  @ApiProperty({ format: 'uuid' }) session_id!: string;
  @ApiProperty({ enum: ['closed', 'too_old', 'left', 'deleted', 'server_stopping', 'failed'] })
  reason!: SessionClosed['reason'];
  @ApiProperty() frame_count!: number;
  @ApiProperty() keyframe_count!: number;
  @ApiProperty() seen_until_ms!: number;
}

export class PongDto {
  @ApiProperty({ type: String, nullable: true }) nonce!: string | null;
}

/** What the server sends, by the name of the event: `session.ready` and `pong` of a connection, the rest of its session. */
export const SERVER_EVENTS = {
  'session.ready': { data: ReadyDto, summary: 'The session is open; send frames from next_sequence on.' },
  ack: { data: AckDto, summary: 'A frame was looked at.' },
  keyframe: { data: StreamedKeyframeDto, summary: 'A frame became a keyframe.' },
  percept: { data: StreamedPerceptDto, summary: 'A keyframe pair was perceived; the percept is stored.' },
  'question.accepted': { data: AcceptedDto, summary: 'A question was taken.' },
  'answer.delta': { data: DeltaDto, summary: 'A piece of an answer.' },
  'answer.wait': { data: WaitDto, summary: 'A standing question was thought about and is not answered yet.' },
  answer: { data: StreamedAnswerDto, summary: 'An answer; its trajectory is stored.' },
  'question.ended': { data: QuestionEndedDto, summary: 'There will be no answer.' },
  throttle: { data: ThrottleDto, summary: 'Frames were dropped.' },
  error: { data: StreamErrorDto, summary: 'Something sent could not be used, or something failed.' },
  'session.closed': { data: SessionClosedDto, summary: 'The session has ended.' },
  pong: { data: PongDto, summary: 'The answer to a ping.' },
} satisfies Record<
  keyof SessionEvents | 'session.ready' | 'pong',
  { data: new () => object; summary: string }
>;

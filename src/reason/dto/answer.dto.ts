import { ApiProperty } from '@nestjs/swagger';
import type { ActionContradiction, ActionTaken } from '../../perception/percept.js';
import type { KeyframeView, PerceptView } from '../keyframe-json.js';
import type { AnswerView } from '../reason-events.js';

// Documentation of the replies. The classes implement the views that the service makes, so that the two cannot drift.

export class KeyframeDto implements KeyframeView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() index!: number;
  @ApiProperty() timestamp_ms!: number;
  @ApiProperty({ description: 'Why it was kept.', example: 'low_overlap' }) reason!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Share of the view that overlaps the keyframe before.',
  })
  overlap_ratio!: number | null;
  @ApiProperty() match_count!: number;
  @ApiProperty() inlier_count!: number;
  @ApiProperty({ example: '/keyframes/0193…/image' }) image_url!: string;
}

export class PerceptDto implements PerceptView {
  @ApiProperty({ format: 'uuid' }) keyframe_id!: string;
  @ApiProperty({ example: 'red chair ahead, near; new tv on the left, far' }) text!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the picture shows of the things the question names (vision-language model only).',
  })
  for_question!: string | null;
  @ApiProperty({
    description: 'Movements since the keyframe before.',
    type: 'array',
    items: { type: 'object' },
  })
  actions!: ActionTaken[];
  @ApiProperty({ type: 'array', items: { type: 'object' } }) objects!: PerceptView['objects'];
  @ApiProperty({ type: [String] }) gone!: string[];
  @ApiProperty({
    type: Object,
    nullable: true,
    description: 'Where the vision-language model and the geometry disagree about the movement.',
  })
  contradiction!: ActionContradiction | null;
  @ApiProperty() cached!: boolean;
}

export class AnswerDto implements AnswerView {
  @ApiProperty({ format: 'uuid' }) trajectory_id!: string;
  @ApiProperty({ format: 'uuid' }) session_id!: string;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true, example: 'A' }) answer!:
    string | number | null;
  @ApiProperty({ type: String, nullable: true, example: 'left' }) answer_text!: string | null;
  @ApiProperty() thinking!: string;
  @ApiProperty({ enum: ['stop', 'length'] }) finish_reason!: string;
  @ApiProperty({ type: String, nullable: true }) problem!: string | null;
  @ApiProperty({
    type: [String],
    description: 'Keyframes that the thinking refers to, or all that the model was given.',
  })
  evidence_keyframe_ids!: string[];
  @ApiProperty({ type: [KeyframeDto] }) keyframes!: KeyframeDto[];
  @ApiProperty({ type: [PerceptDto] }) percepts!: PerceptDto[];
  @ApiProperty({ example: 'tiny@1f2e3d4c' }) policy_version!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' } }) usage!: AnswerView['usage'];
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' } }) timings_ms!: Record<
    string,
    number
  >;
  @ApiProperty({ description: 'Time of the last frame that was looked at.' }) seen_until_ms!: number;
  @ApiProperty({ type: [String] }) warnings!: string[];
}

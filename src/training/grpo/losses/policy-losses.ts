import { PolicyLoss } from '../rollout-tokens.js';
import { cispoLoss } from './cispo.js';
import { dapoLoss } from './dapo.js';
import { drGrpoLoss } from './dr-grpo.js';
import { grpoLoss } from './grpo.js';
import { gspoLoss } from './gspo.js';

export const LOSS_NAMES = ['grpo', 'dr_grpo', 'dapo', 'gspo', 'cispo'] as const;
export type LossName = (typeof LOSS_NAMES)[number];

export const POLICY_LOSSES: Record<LossName, PolicyLoss> = {
  grpo: grpoLoss,
  dr_grpo: drGrpoLoss,
  dapo: dapoLoss,
  gspo: gspoLoss,
  cispo: cispoLoss,
};

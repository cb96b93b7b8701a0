import { Percept } from '../../perception/percept.js';

/** A percept with the keyframe it belongs to. */
export interface MemoryEntry {
  keyframeId: string;
  timestampMs: number;
  percept: Percept;
}

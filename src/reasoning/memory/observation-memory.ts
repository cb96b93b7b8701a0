import { AllocentricState, fold, NOTHING_FOLDED } from './allocentric-state.js';
import { MemoryEntry } from './memory-entry.js';

/** The memory at one moment; never changes afterwards. */
export interface MemorySnapshot {
  /** The very first percept; null before there is one. */
  first: MemoryEntry | null;
  /** What came between it and `recent`. */
  folded: AllocentricState;
  /** The newest, in order. */
  recent: readonly MemoryEntry[];
}

/**
 * What a session remembers, in fixed space however long it is: the first percept and the newest word for word, all
 * between them folded into one allocentric state.
 */
export class ObservationMemory {
  private first: MemoryEntry | null = null;
  private folded = NOTHING_FOLDED;
  private recent: MemoryEntry[] = [];

  /** @param capacity percepts that are kept word for word, the first among them */
  constructor(private readonly capacity: number) {}

  add(entry: MemoryEntry): void {
    if (this.first === null) {
      this.first = entry;
      return;
    }
    this.recent.push(entry);
    if (this.recent.length < this.capacity) return;
    this.folded = fold(this.folded, this.recent.shift()!);
  }

  snapshot(): MemorySnapshot {
    return { first: this.first, folded: this.folded, recent: [...this.recent] };
  }
}

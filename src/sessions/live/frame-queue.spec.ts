import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameQueue, IncomingFrame } from './frame-queue.js';

const frame = (sequence: number, isKey = false, byteLength = 1): IncomingFrame => ({
  sequence,
  timestampUs: sequence,
  isKey,
  byteLength,
  decode: () => Promise.reject(new Error('not looked at')),
});

async function drained(queue: FrameQueue, count: number): Promise<(number | 'mark')[]> {
  const taken: (number | 'mark')[] = [];
  for (let i = 0; i < count; i++) {
    const item = await queue.take();
    taken.push('mark' in item ? 'mark' : item.frame.sequence);
  }
  return taken;
}

describe('a frame queue', () => {
  it('drops the oldest that is no key frame, and the oldest where all are', async () => {
    const queue = new FrameQueue({ frames: 3, bytes: 100 });
    const dropped = [frame(0, true), frame(1), frame(2, true), frame(3), frame(4, true), frame(5, true)].map(
      (each) => queue.push(each).map(({ sequence }) => sequence),
    );
    expect(dropped).toEqual([[], [], [], [1], [3], [0]]);
    expect(await drained(queue, 3)).toEqual([2, 4, 5]);
  });

  it('bounds bytes as well, but always takes the newest', async () => {
    const queue = new FrameQueue({ frames: 9, bytes: 10 });
    queue.push(frame(0, false, 6));
    queue.push(frame(1, false, 4));
    expect(queue.push(frame(2, false, 50)).map(({ sequence }) => sequence)).toEqual([0, 1]);
    expect(await drained(queue, 1)).toEqual([2]);
  });

  it('keeps marks between the frames that they stood between', async () => {
    const queue = new FrameQueue({ frames: 2, bytes: 100 });
    queue.push(frame(0));
    queue.mark(async () => undefined);
    queue.push(frame(1));
    queue.push(frame(2));
    expect(await drained(queue, 3)).toEqual(['mark', 1, 2]);
  });

  it('wakes who waits for an item, and who waits for room', async () => {
    const queue = new FrameQueue({ frames: 2, bytes: 100 });
    const waiting = drained(queue, 1);
    queue.push(frame(7));
    expect(await waiting).toEqual([7]);
    queue.push(frame(8));
    const room = queue.below(1);
    await drained(queue, 1);
    await room;
  });

  it('never holds more than its limits, and never loses a frame without telling', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ isKey: fc.boolean(), bytes: fc.integer({ min: 1, max: 40 }) }), {
          maxLength: 60,
        }),
        fc.integer({ min: 1, max: 8 }),
        async (frames, limit) => {
          const queue = new FrameQueue({ frames: limit, bytes: 100 });
          const gone = frames.flatMap(({ isKey, bytes }, i) =>
            queue.push(frame(i, isKey, bytes)).map(({ sequence }) => sequence),
          );
          expect(queue.frameCount).toBeLessThanOrEqual(limit);
          const left = (await drained(queue, queue.frameCount)) as number[];
          expect(left).toEqual([...left].sort((a, b) => a - b));
          expect([...gone, ...left].sort((a, b) => a - b)).toEqual(frames.map((_, i) => i));
        },
      ),
    );
  });
});

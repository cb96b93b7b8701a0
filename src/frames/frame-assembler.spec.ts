import { describe, expect, it } from 'vitest';
import { FrameAssembler } from './frame-assembler.js';

const mark = (timestampMs: number, width = 2, height = 1) => ({ timestampMs, width, height });
const FRAME = 2 * 1 * 3;

/** Writes bytes and tells whether they have been accepted. */
function write(assembler: FrameAssembler, ...bytes: number[]): { accepted: boolean } {
  const state = { accepted: false };
  assembler.write(Uint8Array.from(bytes), () => (state.accepted = true));
  return state;
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the frame assembler', () => {
  it('cuts frames out of pieces of any size', async () => {
    const assembler = new FrameAssembler(8);
    for (const time of [0, 40, 80]) assembler.mark(mark(time));
    write(assembler, 0);
    write(assembler, 1, 2, 3, 4, 5, 6, 7);
    write(assembler, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    assembler.end();
    const frames = [await assembler.take(), await assembler.take(), await assembler.take()];
    expect(frames.map((frame) => [frame!.timestampMs, ...frame!.rgb])).toEqual([
      [0, 0, 1, 2, 3, 4, 5],
      [40, 6, 7, 8, 9, 10, 11],
      [80, 12, 13, 14, 15, 16, 17],
    ]);
    expect(await assembler.take()).toBeNull();
    expect(assembler.leftover).toBe(0);
  });

  it('accepts no more while its frames wait to be taken', async () => {
    const assembler = new FrameAssembler(1);
    for (const time of [0, 40]) assembler.mark(mark(time));
    expect(write(assembler, 1, 2, 3, 4, 5, 6).accepted).toBe(false);
    const second = write(assembler, 7, 8, 9, 10, 11, 12);
    await turn();
    expect(second.accepted).toBe(false);
    expect((await assembler.take())!.rgb[0]).toBe(1);
    await turn();
    expect(second.accepted).toBe(true);
  });

  it('lets bytes wait for their mark', async () => {
    const assembler = new FrameAssembler(2);
    const early = write(assembler, ...Array<number>(FRAME).fill(7));
    await turn();
    expect(early.accepted).toBe(false);
    const taken = assembler.take();
    assembler.mark(mark(120));
    expect(await taken).toMatchObject({ timestampMs: 120 });
  });

  it('does not wait for a mark that cannot come', async () => {
    const assembler = new FrameAssembler(2);
    write(assembler, 1, 2, 3);
    const taken = assembler.take();
    assembler.endMarks();
    expect(await taken).toBeNull();
    expect(assembler.leftover).toBe(1);
  });

  it('counts frames that were described but not written whole', async () => {
    const assembler = new FrameAssembler(2);
    for (const time of [0, 40, 80]) assembler.mark(mark(time));
    write(assembler, 1, 2, 3, 4, 5, 6, 7, 8);
    assembler.end();
    expect(await assembler.take()).toMatchObject({ timestampMs: 0 });
    expect(await assembler.take()).toBeNull();
    expect(assembler.leftover).toBe(2);
  });

  it('cuts by the size of the first picture, and knows when another came', async () => {
    const assembler = new FrameAssembler(2);
    assembler.mark(mark(0));
    assembler.mark(mark(40, 4, 4));
    write(assembler, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    await assembler.take();
    expect(await assembler.take()).toMatchObject({ width: 2, height: 1, timestampMs: 40 });
    expect(assembler.sizeChanged).toBe(true);
  });

  it('throws away what still comes once it has been stopped', async () => {
    const assembler = new FrameAssembler(1);
    assembler.mark(mark(0));
    write(assembler, 1, 2, 3, 4, 5, 6);
    const held = write(assembler, 7, 8);
    assembler.stop();
    await turn();
    expect(held.accepted).toBe(true);
    expect(await assembler.take()).toBeNull();
  });
});

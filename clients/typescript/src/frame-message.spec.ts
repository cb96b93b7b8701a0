import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseFrameMessage } from '../../../src/stream/frame-message.js';
import { encodeFrame } from './frame-message.js';

it('writes the header byte by byte as docs/protocol.md has it', () => {
  const message = encodeFrame(
    { sequence: 0x0102030405, timestampUs: 0x0a0b0c0d, key: true },
    Uint8Array.of(0xff, 0xd8),
  );
  expect([...message]).toEqual([
    1, 1, 0, 24, 0, 0, 0, 0,
    0, 0, 0, 1, 2, 3, 4, 5,
    0, 0, 0, 0, 10, 11, 12, 13,
    0xff, 0xd8,
  ]); // prettier-ignore
});

it('is read by the server as it was written', () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.maxSafeNat(),
      fc.boolean(),
      fc.uint8Array(),
      (sequence, timestampUs, key, picture) => {
        const parsed = parseFrameMessage(Buffer.from(encodeFrame({ sequence, timestampUs, key }, picture)));
        expect(parsed).toEqual({ sequence, timestampUs, isKey: key, picture: Buffer.from(picture) });
      },
    ),
  );
});

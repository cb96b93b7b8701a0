import { describe, expect, it } from 'vitest';
import { AskedQuestion } from './asked-question.js';
import { SaccadeClientError } from './client-error.js';
import { SessionReady } from './events.js';
import { Outbox } from './outbox.js';

const picture = new Uint8Array(1000);
const ready = (next_sequence: number, credits = 3) => ({ next_sequence, credits }) as SessionReady;

function outbox(bufferBytes = 1e6) {
  const sent: (number | string)[] = [];
  const box = new Outbox(bufferBytes, {
    frame: ({ sequence }) => sent.push(sequence),
    question: ({ id }) => sent.push(id),
    close: () => sent.push('close'),
  });
  const ask = (id: string) => {
    const asked = new AskedQuestion(id, { question: '?' }, box.lastSequence, () => undefined);
    box.addQuestion(asked);
    return asked;
  };
  const frame = () => box.addFrame(0, false, picture);
  return { box, sent, ask, frame };
}

describe('an outbox', () => {
  it('sends no more frames than there are credits, and the next with each answer', () => {
    const { box, sent, frame } = outbox();
    box.begin(ready(0), []);
    for (let i = 0; i < 5; i++) frame();
    expect(sent).toEqual([0, 1, 2]);
    expect(box.hasCredit).toBe(false);
    box.settle({ sequence: 0, status: 'unknown' });
    expect(sent).toEqual([0, 1, 2, 3]);
  });

  it('sends a question after the frames before it and before those after it, the end last', () => {
    const { box, sent, frame, ask } = outbox();
    const asked = [ask('first')];
    for (let i = 0; i < 4; i++) frame();
    asked.push(ask('second'));
    frame();
    box.addClose();
    expect(sent).toEqual([]);
    box.begin(ready(0, 4), asked);
    expect(sent).toEqual(['first', 0, 1, 2, 3, 'second']);
    box.settle({ sequence: 0, status: 'unknown' });
    expect(sent).toEqual(['first', 0, 1, 2, 3, 'second', 4, 'close']);
  });

  it('sends again what the server lacks, and tells of the rest that its reply is lost', async () => {
    const { box, sent, frame, ask } = outbox();
    box.begin(ready(0), []);
    const outcomes = [frame(), frame(), frame()].map(({ outcome }) => outcome);
    const asked = ask('q');
    box.pause();
    frame();
    expect(sent).toEqual([0, 1, 2, 'q']);
    sent.length = 0;
    box.begin(ready(2), [asked]);
    expect(sent).toEqual([2, 'q', 3]);
    expect(await outcomes[0]).toEqual({ sequence: 0, status: 'unknown' });
    expect(await outcomes[1]).toEqual({ sequence: 1, status: 'unknown' });
  });

  it('goes on counting where the server stands', () => {
    const { box, frame } = outbox();
    box.begin(ready(7), []);
    expect(frame().sequence).toBe(7);
  });

  it('forgets frames that are stored, and the oldest where it has no room', () => {
    const { box, sent, frame } = outbox(2500);
    box.begin(ready(0, 9), []);
    for (let i = 0; i < 5; i++) frame();
    box.begin(ready(0, 9), []);
    expect(sent).toEqual([0, 1, 2, 3, 4, 3, 4]);
    box.stored(3);
    sent.length = 0;
    box.begin(ready(0, 9), []);
    expect(sent).toEqual([4]);
  });

  it('lets everybody know when it is over', async () => {
    const { box, frame } = outbox();
    box.begin(ready(0), []);
    const { outcome } = frame();
    const waiting = box.change();
    box.fail(new SaccadeClientError('gone', 'gone'));
    await expect(outcome).rejects.toMatchObject({ code: 'gone' });
    await waiting;
    expect(box.hasCredit).toBe(false);
  });
});

import { expect, it } from 'vitest';
import { SharedWork } from './shared-work.js';

/** Work that ends when told, and knows whether it was stopped. */
function controlled() {
  const started: { signal: AbortSignal; finish: (value: string) => void; fail: (error: Error) => void }[] =
    [];
  const start = (signal: AbortSignal) =>
    new Promise<string>((finish, fail) => void started.push({ signal, finish, fail }));
  return { started, start };
}
const staying = () => new AbortController().signal;

it('is done once for all who want it meanwhile, and again for who comes later', async () => {
  const { started, start } = controlled();
  const shared = new SharedWork<string>();
  const both = Promise.all([shared.join('a', staying(), start), shared.join('a', staying(), start)]);
  started[0]!.finish('done');
  expect(await both).toEqual([
    { result: 'done', began: true },
    { result: 'done', began: false },
  ]);
  const later = shared.join('a', staying(), start);
  started[1]!.finish('anew');
  expect((await later).result).toBe('anew');
});

it('keeps keys apart', async () => {
  const { started, start } = controlled();
  const shared = new SharedWork<string>();
  const both = [shared.join('a', staying(), start), shared.join('b', staying(), start)];
  started.forEach(({ finish }, i) => finish(String(i)));
  expect((await Promise.all(both)).map(({ result }) => result)).toEqual(['0', '1']);
});

it.each(['the one that began', 'the one that joined'])('lets %s go at once and goes on', async (who) => {
  const { started, start } = controlled();
  const shared = new SharedWork<string>();
  const leaving = new AbortController();
  const stays = who === 'the one that joined';
  const first = shared.join('a', stays ? staying() : leaving.signal, start);
  const second = shared.join('a', stays ? leaving.signal : staying(), start);
  leaving.abort();
  await expect(stays ? second : first).rejects.toMatchObject({ fault: 'cancelled' });
  expect(started[0]!.signal.aborted).toBe(false);
  started[0]!.finish('done');
  expect((await (stays ? first : second)).result).toBe('done');
  expect(started).toHaveLength(1);
});

it('stops when the last has gone, and begins anew for who comes then', async () => {
  const { started, start } = controlled();
  const shared = new SharedWork<string>();
  const leaving = new AbortController();
  const both = [shared.join('a', leaving.signal, start), shared.join('a', leaving.signal, start)];
  leaving.abort();
  await Promise.allSettled(both);
  expect(started[0]!.signal.aborted).toBe(true);
  const next = shared.join('a', staying(), start);
  started[0]!.fail(new Error('stopped')); // the old work ends late, and takes nothing of the new one with it
  const joined = shared.join('a', staying(), start);
  started[1]!.finish('anew');
  expect([(await next).result, (await joined).result]).toEqual(['anew', 'anew']);
});

it('tells everybody of a failure, without trying again for each', async () => {
  const { started, start } = controlled();
  const shared = new SharedWork<string>();
  const all = [1, 2, 3].map(() => shared.join('a', staying(), start));
  started[0]!.fail(new Error('upstream down'));
  for (const one of await Promise.allSettled(all))
    expect(one).toMatchObject({ status: 'rejected', reason: { message: 'upstream down' } });
  expect(started).toHaveLength(1);
});

it('does not begin for a caller that has gone already', async () => {
  const { started, start } = controlled();
  await expect(new SharedWork<string>().join('a', AbortSignal.abort(), start)).rejects.toMatchObject({
    fault: 'cancelled',
  });
  expect(started).toHaveLength(0);
});

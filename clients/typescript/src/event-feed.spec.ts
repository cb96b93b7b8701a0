import { expect, it } from 'vitest';
import { EventFeed } from './event-feed.js';
import { ServerEvent } from './events.js';

const ack = (sequence: number) => ({ event: 'ack', data: { sequence } }) as ServerEvent;
const answer = (id: string) => ({ event: 'answer', data: { question_id: id } }) as ServerEvent;

it('gives events in order, also those that came before it was asked, and ends', async () => {
  const feed = new EventFeed(() => undefined);
  feed.push(ack(0));
  const first = await feed.next();
  const second = feed.next();
  feed.push(ack(1));
  feed.end();
  expect([first, await second, await feed.next()]).toEqual([
    { value: ack(0), done: false },
    { value: ack(1), done: false },
    { value: undefined, done: true },
  ]);
});

it('stays bounded for a slow reader, who loses the oldest acks and no answer', async () => {
  const feed = new EventFeed(() => undefined);
  feed.push(answer('early'));
  for (let i = 0; i < 10_000; i++) feed.push(ack(i));
  feed.push(answer('late'));
  feed.end();
  const seen: ServerEvent[] = [];
  for await (const event of feed) seen.push(event);
  expect(seen).toHaveLength(2048);
  expect([seen[0], seen.at(-1)]).toEqual([answer('early'), answer('late')]);
  expect(seen.at(-2)).toEqual(ack(9999));
});

it('tells whose reader has left', async () => {
  const left: EventFeed[] = [];
  const feed = new EventFeed((ended) => left.push(ended));
  feed.push(ack(0));
  await feed.next();
  await feed.return?.();
  expect(left).toEqual([feed]);
});

import { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { waitMs } from './backoff.js';
import { SaccadeStream, StreamOptions } from './index.js';

// A server on loopback that says what the test wants, over the real protocol.

let server: WebSocketServer;
let sockets: { socket: WebSocket; messages: { event: string; data: Record<string, unknown> }[] }[];
let greet: (socket: WebSocket, connection: number) => void;

const say = (socket: WebSocket, event: string, data: object = {}) =>
  socket.send(JSON.stringify({ event, data }));
const ready = (more: object = {}) => ({
  session_id: 's',
  role: 'agent',
  next_sequence: 0,
  credits: 4,
  ...more,
});

beforeEach(async () => {
  sockets = [];
  greet = (socket) => say(socket, 'session.ready', ready());
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    const messages: (typeof sockets)[number]['messages'] = [];
    const connection = sockets.push({ socket, messages }) - 1;
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      messages.push(JSON.parse(String(data)) as (typeof messages)[number]);
      if (messages.length === 1) greet(socket, connection);
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(async () => {
  server.clients.forEach((socket) => socket.terminate());
  await new Promise((resolve) => server.close(resolve));
});

const url = () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Timers that go off when the test says so. */
function manualTimers() {
  const waiting = new Map<number, { run: () => void; ms: number }>();
  let last = 0;
  return {
    waiting,
    set: (run: () => void, ms: number) => {
      waiting.set(++last, { run, ms });
      return last;
    },
    clear: (timer: unknown) => void waiting.delete(timer as number),
    /** Runs what waits for so long. */
    fire(ms: number) {
      for (const [id, timer] of [...waiting]) if (timer.ms === ms && waiting.delete(id)) timer.run();
    },
  };
}

const quick: StreamOptions = { reconnect: { baseMs: 1, maxMs: 2, maxAttempts: 3 } };

describe('a stream', () => {
  it('says at once why it cannot be opened', async () => {
    greet = (socket) => {
      say(socket, 'error', { code: 'too_many_sessions', detail: '64 are live.', retryable: true, limit: 64 });
      socket.close(4503);
    };
    await expect(SaccadeStream.open(url(), quick)).rejects.toMatchObject({
      code: 'too_many_sessions',
      message: '64 are live.',
      limit: 64,
      retryable: true,
    });
    await expect(SaccadeStream.open('ws://127.0.0.1:1', quick)).rejects.toMatchObject({
      code: 'connection_lost',
    });
  });

  it('resumes its session when the connection breaks, and gives up after so many attempts', async () => {
    const stream = await SaccadeStream.open(url(), quick);
    const states: string[] = [];
    const over = new Promise<void>((resolve) =>
      stream.onConnection((state) => {
        states.push(state);
        if (state === 'closed') resolve();
      }),
    );
    greet = (socket, connection) =>
      connection === 1 ? say(socket, 'session.ready', ready({ resumed: true })) : socket.terminate();
    const asked = stream.ask('Where?');
    sockets[0]!.socket.terminate();
    while (sockets.length < 2 || sockets[1]!.messages.length < 2)
      await new Promise((resolve) => setImmediate(resolve));
    expect(sockets[1]!.messages).toEqual([
      { event: 'session.resume', data: { session_id: 's' } },
      { event: 'ask', data: { question: 'Where?', question_id: 'q1' } },
    ]);
    sockets[1]!.socket.terminate();
    await over;
    expect(states.filter((state) => state === 'open')).toHaveLength(1);
    expect(sockets).toHaveLength(5);
    await expect(asked.answer).rejects.toMatchObject({ code: 'connection_lost', retryable: true });
    await expect(stream.credit()).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(stream.ask('Where?').answer).rejects.toMatchObject({ code: 'connection_lost' });
  });

  it.each([4400, 4401, 4404, 4409, 4410])('does not come back after close code %i', async (code) => {
    const stream = await SaccadeStream.open(url(), quick);
    const over = new Promise<void>((resolve) =>
      stream.onConnection((state) => state === 'closed' && resolve()),
    );
    say(sockets[0]!.socket, 'error', { code: 'taken_over', detail: 'Another one.', retryable: false });
    sockets[0]!.socket.close(code);
    await over;
    await expect(stream.credit()).rejects.toMatchObject({ code: 'taken_over' });
    expect(sockets).toHaveLength(1);
  });

  it('finds a connection on which nothing is heard, and leaves it', async () => {
    const timers = manualTimers();
    const stream = await SaccadeStream.open(url(), { ...quick, pingMs: 777, timers, random: () => 1 });
    const states: string[] = [];
    stream.onConnection((state) => states.push(state));
    timers.fire(777);
    while (sockets[0]!.messages.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(sockets[0]!.messages[1]!.event).toBe('ping');
    timers.fire(777); // the server has not said a word since
    expect(states).toEqual(['reconnecting']);
    const back = new Promise<void>((resolve) =>
      stream.onConnection((state) => state === 'open' && resolve()),
    );
    timers.fire(1);
    await back;
    expect(sockets[1]!.messages[0]!.event).toBe('session.resume');
    stream.disconnect();
  });

  it('tells how a question ended that has no answer', async () => {
    const stream = await SaccadeStream.open(url(), quick);
    const asked = stream.ask('Where?');
    const refused = stream.ask('What?');
    say(sockets[0]!.socket, 'question.ended', { question_id: asked.id, reason: 'expired' });
    say(sockets[0]!.socket, 'error', { question_id: refused.id, code: 'nothing_seen', detail: 'No frame.' });
    await expect(asked.answer).rejects.toMatchObject({ code: 'expired' });
    await expect(refused.answer).rejects.toMatchObject({ code: 'nothing_seen' });
    stream.disconnect();
  });

  it('cancels a question while there is no connection by not asking it again', async () => {
    const timers = manualTimers();
    const stream = await SaccadeStream.open(url(), { reconnect: { baseMs: 50 }, timers, random: () => 1 });
    const asked = stream.ask('Where?');
    const broken = new Promise<void>((resolve) =>
      stream.onConnection((state) => state === 'reconnecting' && resolve()),
    );
    sockets[0]!.socket.terminate();
    await broken;
    asked.cancel();
    await expect(asked.answer).rejects.toMatchObject({ code: 'cancelled' });
    stream.disconnect();
  });
});

it('waits longer with each attempt, up to a limit, with jitter', () => {
  const options = { maxAttempts: 9, baseMs: 100, maxMs: 1000 };
  expect([0, 1, 2, 3, 4, 9].map((attempt) => waitMs(options, attempt, () => 1))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
  expect(waitMs(options, 0, () => 0)).toBe(50);
});

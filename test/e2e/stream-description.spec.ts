import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerEvent } from '../../clients/typescript/src/index.js';
import { CLIENT_MESSAGES } from '../../src/stream/asyncapi.js';
import { SERVER_EVENTS } from '../../src/stream/dto/event.dto.js';
import { StreamGateway } from '../../src/stream/stream.gateway.js';
import { clipFrames } from '../support/clip-frames.js';
import { RawStream } from '../support/raw-stream.js';
import { startTestServer, TestServer } from '../support/running-server.js';

interface Schema {
  properties?: Record<string, Schema>;
  $ref?: string;
  items?: Schema;
  additionalProperties?: unknown;
}

let server: TestServer;
let document: {
  components: { messages: Record<string, { payload: Schema }>; schemas: Record<string, Schema> };
};
beforeAll(async () => {
  server = await startTestServer({ STREAM_WAIT_SAMPLES: '2' });
  document = (await (await fetch(`${server.url}/docs/asyncapi.json`)).json()) as typeof document;
});
afterAll(() => server.close());

it('is the one in docs/asyncapi.json (npm run asyncapi:docs)', () => {
  const written = readFileSync(new URL('../../docs/asyncapi.json', import.meta.url), 'utf8');
  expect(document).toEqual(JSON.parse(written));
});

it('is valid AsyncAPI 3.0', () => {
  const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  validate(document);
  expect(validate.errors).toBeNull();
});

it('has a handler for every message of the client', () => {
  const handled = Object.getOwnPropertyNames(StreamGateway.prototype)
    .map(
      (name) => Reflect.getMetadata('message', StreamGateway.prototype[name as 'open']) as string | undefined,
    )
    .filter((event) => event !== undefined);
  expect(handled.sort()).toEqual([...Object.keys(CLIENT_MESSAGES), 'frame', 'malformed'].sort());
});

it('fits what a server really sends, field by field', async () => {
  const events = await everyEvent();
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'stream', ...document });
  const never = new Set(Object.keys(SERVER_EVENTS));
  for (const message of events) {
    never.delete(message.event);
    const validate = ajv.getSchema(`stream#/components/messages/${message.event}/payload`)!;
    validate(message);
    expect(validate.errors, JSON.stringify(message)).toBeNull();
    undescribed(
      message.event,
      message.data,
      document.components.schemas[SERVER_EVENTS[message.event].data.name]!,
    );
  }
  expect([...never]).toEqual([]);
});

/** Fails for a field that the description lacks. */
function undescribed(path: string, value: unknown, schema: Schema): void {
  const resolved =
    schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!;
  if (Array.isArray(value)) value.forEach((each) => undescribed(`${path}[]`, each, resolved.items ?? {}));
  else if (typeof value === 'object' && value !== null && resolved.properties !== undefined)
    for (const [name, part] of Object.entries(value)) {
      expect(Object.keys(resolved.properties), `${path}.${name}`).toContain(name);
      undescribed(`${path}.${name}`, part, resolved.properties[name]!);
    }
}

/** A session in which every kind of event comes. */
async function everyEvent(): Promise<ServerEvent[]> {
  const frames = await clipFrames();
  const stream = await RawStream.open(server.url);
  const watcher = await RawStream.connect(server.url);
  watcher.send('session.observe', { session_id: stream.sessionId, thumbnails: true });
  await watcher.next('session.ready');
  stream.send('ping', { nonce: 'n' });
  for (const [i, { jpeg, timestampUs }] of frames.slice(0, 10).entries()) stream.frame(i, jpeg, timestampUs);
  stream.frame(9, frames[9]!.jpeg);
  await stream.next('ack', ({ sequence }) => sequence === 9);
  const question = { question: 'Which way did I turn?', options: ['left', 'right'] };
  stream.send('ask', { ...question, question_id: 'now', ground_truth: 'A' });
  await stream.next('answer');
  stream.send('ask', { ...question, question_id: 'never', mode: 'wait', until: ['nothing of that'] });
  await stream.next('answer.wait');
  stream.send('cancel', { question_id: 'never' });
  await stream.next('question.ended');
  for (let i = 10; i < 60; i++) stream.frame(i, frames[10]!.jpeg);
  await stream.next('throttle');
  stream.send('session.close');
  await Promise.all([stream.closed, watcher.closed]);
  return [...stream.events, ...watcher.events];
}

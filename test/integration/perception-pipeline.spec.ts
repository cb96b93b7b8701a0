import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PinoLogger } from 'nestjs-pino';
import { loadSettings } from '../../src/config/load-settings.js';
import { DatabaseService } from '../../src/database/database.service.js';
import { VlmPerceiver } from '../../src/perception/openai/vlm-perceiver.js';
import { PerceptRepository } from '../../src/perception/percept.repository.js';
import { PairInput, PerceptionPipeline } from '../../src/perception/perception-pipeline.js';
import { answer, FakeReply } from '../support/fake-openai-replies.js';
import { FakeOpenAiServer, FakeRequest } from '../support/fake-openai-server.js';
import { plainKeyframe } from '../support/keyframe-images.js';
import { folderForFile } from '../support/temporary-folder.js';

const dataDir = folderForFile();
const VIEW = (name: string) =>
  answer(JSON.stringify({ action: null, objects: [{ name }], gone: [], description: '' }));

let database: DatabaseService;
let server: FakeOpenAiServer;
let baseUrl: string;
let shade = 0;

beforeAll(async () => {
  const quiet = new PinoLogger({ pinoHttp: { level: 'silent' } });
  database = new DatabaseService(loadSettings({ SACCADE_DATA_DIR: dataDir }), quiet);
  await database.onModuleInit();
  server = new FakeOpenAiServer();
  ({ baseUrl } = await server.start());
});
afterAll(async () => {
  await server.stop();
  await database.onModuleDestroy();
});
beforeEach(() => {
  server.requests.length = 0;
  server.script(() => VIEW('chair'));
});

function pipeline(model = 'fake-model'): PerceptionPipeline {
  const perceiver = new VlmPerceiver({ baseUrl, model, hfovDeg: 75, timeoutMs: 20_000, maxConcurrent: 8 });
  return new PerceptionPipeline(perceiver, new PerceptRepository(database));
}

/** A first view that no other test has seen. */
async function freshView(signal = new AbortController().signal): Promise<PairInput> {
  const keyframe = await plainKeyframe(0, { r: (shade += 7) % 256, g: 90, b: 30 });
  return { keyframe, previous: null, steps: [], signal };
}

it('perceives a picture once, also for a server that starts later', async () => {
  const input = await freshView();
  const made = await pipeline().perceive(input).done;
  const reused = await pipeline().perceive(input).done;
  expect(server.requests).toHaveLength(1);
  expect(made).toMatchObject({ cached: false, usage: { calls: 1 } });
  expect(reused).toMatchObject({
    cached: true,
    usage: { calls: 0 },
    perceptId: made.perceptId,
    percept: made.percept,
  });
});

it('perceives again for another model, another picture, or another view before', async () => {
  const input = await freshView();
  await pipeline().perceive(input).done;
  await pipeline('other-model').perceive(input).done;
  const before = await freshView();
  const previous = pipeline().perceive(before);
  await pipeline().perceive({ ...input, previous }).done;
  await previous.done;
  expect(server.requests).toHaveLength(4);
});

it('perceives once what two ask for at the same time', async () => {
  const shared = pipeline();
  const input = await freshView();
  const both = await Promise.all([shared.perceive(input).done, shared.perceive(input).done]);
  expect(server.requests).toHaveLength(1);
  expect(both.map(({ cached }) => cached).sort()).toEqual([false, true]);
  expect(both[0]!.perceptId).toBe(both[1]!.perceptId);
});

/** The request once it has arrived, and a way to answer it. */
function heldRequest(): { arrived: Promise<FakeRequest>; answerIt: (reply: FakeReply) => void } {
  let answerIt: (reply: FakeReply) => void = () => undefined;
  const held = new Promise<FakeReply>((resolve) => (answerIt = resolve));
  const arrived = new Promise<FakeRequest>((resolve) => {
    server.script((request) => {
      resolve(request);
      return held;
    });
  });
  return { arrived, answerIt };
}

it('goes on for the second when the first goes away, without asking again', async () => {
  const shared = pipeline();
  const gone = new AbortController();
  const input = await freshView(gone.signal);
  const { arrived, answerIt } = heldRequest();
  const first = shared.perceive(input).done;
  const second = shared.perceive({ ...input, signal: new AbortController().signal }).done;
  await arrived;
  gone.abort();
  await expect(first).rejects.toMatchObject({ fault: 'cancelled' });
  answerIt(VIEW('couch'));
  expect((await second).percept.objects[0]!.name).toBe('couch');
  expect(server.requests).toHaveLength(1);
});

it('stops the request when nobody waits for it any more', async () => {
  const shared = pipeline();
  const gone = new AbortController();
  const input = await freshView(gone.signal);
  const { arrived } = heldRequest();
  const both = Promise.allSettled([shared.perceive(input).done, shared.perceive(input).done]);
  const request = await arrived;
  gone.abort();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await request.aborted).toBe(true);
});

it('keeps nothing of a failure', async () => {
  const input = await freshView();
  server.script(() => ({ kind: 'error', status: 401, message: 'no' }));
  await expect(pipeline().perceive(input).done).rejects.toMatchObject({ fault: 'upstream' });
  server.script(() => VIEW('lamp'));
  expect(await pipeline().perceive(input).done).toMatchObject({
    cached: false,
    percept: { text: 'lamp ahead, far' },
  });
});

it('looks again for a question once for each picture and question', async () => {
  const { keyframe, signal } = await freshView();
  server.script(() => answer('A chair stands on the left.'));
  const look = (question: string) =>
    pipeline().perceiveForQuestion(keyframe, question, ['left', 'right'], signal);
  const made = await look('Where is the chair?');
  const reused = await look('Where is the chair?');
  await look('Where is the door?');
  expect(server.requests).toHaveLength(2);
  expect([made!.cached, reused!.cached]).toEqual([false, true]);
  expect(reused!.percept.text).toBe('A chair stands on the left.');
});

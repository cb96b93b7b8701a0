import { parentPort, workerData } from 'node:worker_threads';
import { decide, SelectorState } from './decide.js';
import { SelectorOptions } from './selector-options.js';
import { WorkerReply, WorkerRequest } from './worker-messages.js';

const options = workerData as SelectorOptions;
const states = new Map<number, SelectorState>();
const port = parentPort;
if (port === null) throw new Error('The keyframe worker runs in a worker thread only.');

port.on('message', (request: WorkerRequest) => {
  if (request.kind === 'forget') {
    states.delete(request.selectorId);
    return;
  }
  if (request.kind === 'keepNewest') {
    const state = states.get(request.selectorId);
    if (state !== undefined) states.set(request.selectorId, { ...state, keyframe: state.previous });
    return;
  }
  const { requestId, selectorId, frame } = request;
  try {
    const { state, decision } = decide(states.get(selectorId) ?? null, frame, options);
    states.set(selectorId, state);
    const reply: WorkerReply = { kind: 'decided', requestId, decision };
    port.postMessage(reply, decision.step === null ? [] : [decision.step.points.buffer as ArrayBuffer]);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    port.postMessage({ kind: 'failed', requestId, message, stack } satisfies WorkerReply);
  }
});

import { parentPort, workerData } from 'node:worker_threads';
import { stepMotion } from '../perception/ego-motion/step-motion.js';
import { decide, SelectorState } from './decide.js';
import { MotionEvidence, MotionStep } from './keyframe-selector.js';
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
    port.postMessage({
      kind: 'decided',
      requestId,
      decision: { ...decision, step: decision.step && measured(decision.step) },
    } satisfies WorkerReply);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    port.postMessage({ kind: 'failed', requestId, message, stack } satisfies WorkerReply);
  }
});

/** Measured here, because it takes longer than a server's event loop should stand still. */
function measured(evidence: MotionEvidence): MotionStep {
  const { fromTimestampMs, toTimestampMs } = evidence;
  return { fromTimestampMs, toTimestampMs, motion: stepMotion(evidence, options.hfovDeg) };
}

import { parentPort, workerData } from 'node:worker_threads';
import { ObjectDetector } from './detect.js';
import { DetectReply, DetectRequest, DetectorSource } from './detector-client.js';

/** Runs the detector off the event loop; one picture at a time, in order. */
const { path, minScore } = workerData as DetectorSource;
const detector = ObjectDetector.load(path, minScore);

parentPort!.on('message', (request: DetectRequest) => {
  const reply = (message: DetectReply) => parentPort!.postMessage(message);
  detector
    .then((loaded) => loaded.detect(request.rgb, request.width, request.height))
    .then(
      (detections) => reply({ id: request.id, detections }),
      (error: unknown) =>
        reply({ id: request.id, problem: error instanceof Error ? error.message : String(error) }),
    );
});

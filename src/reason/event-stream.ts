import type { Response } from 'express';

export interface EventStream {
  send(event: string, data: unknown): void;
  end(): void;
}

/** Unsent bytes at which a reader counts as stuck: an answer's events are a few hundred kilobytes at most. */
const MAX_UNSENT_BYTES = 4_194_304;

/** Server-sent events (WHATWG HTML, section 9.2). A reader that does not keep up is cut off, so that memory stays bounded. */
export function openEventStream(response: Response): EventStream {
  return {
    send(event, data) {
      if (response.writableEnded || response.destroyed) return;
      if (!response.headersSent) {
        response.status(200).set({
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-cache',
          'X-Accel-Buffering': 'no',
        });
      }
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
    },
    end() {
      if (response.headersSent && !response.writableEnded) response.end();
    },
  };
}

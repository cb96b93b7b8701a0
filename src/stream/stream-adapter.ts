import { INestApplicationContext } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';

/** What a client sent, for the handler of its event. */
export interface Incoming {
  event: string;
  data: unknown;
}

/** Handler of what is no message: not JSON, no event, or an event that nobody handles. */
export const MALFORMED = 'malformed';
/** Handler of binary messages. */
export const FRAME = 'frame';

/** Longest control message, in characters: a question with all its options fits several times. */
const MAX_TEXT = 65_536;

/** Text messages by their event, binary ones as frames. Whatever is sent reaches a handler, so that it is answered. */
export class StreamAdapter extends WsAdapter {
  constructor(
    app: INestApplicationContext,
    private readonly limits: { maxMessageBytes: number },
    /** Events that have a handler. */
    events: ReadonlySet<string>,
  ) {
    super(app, { messageParser: (data) => parse(data, events) });
  }

  override create(port: number, options: Record<string, unknown> = {}): unknown {
    // Pictures are compressed already; compressing them again would only cost memory for each connection.
    return super.create(port, {
      ...options,
      maxPayload: this.limits.maxMessageBytes,
      perMessageDeflate: false,
    });
  }
}

function parse(data: unknown, events: ReadonlySet<string>): Incoming {
  if (typeof data !== 'string') return { event: FRAME, data };
  if (data.length > MAX_TEXT)
    return {
      event: MALFORMED,
      data: `is longer than ${MAX_TEXT} characters; send frames as binary messages`,
    };
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return { event: MALFORMED, data: 'is not JSON' };
  }
  if (
    typeof message !== 'object' ||
    message === null ||
    !('event' in message) ||
    typeof message.event !== 'string'
  )
    return { event: MALFORMED, data: 'has no event: send {"event": name, "data": {…}}' };
  if (!events.has(message.event))
    return {
      event: MALFORMED,
      data: `has the event ${JSON.stringify(message.event.slice(0, 64))}, which there is not`,
    };
  return { event: message.event, data: 'data' in message ? message.data : {} };
}

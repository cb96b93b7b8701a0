import { WebSocket, ClientOptions } from 'ws';
import {
  encodeFrame,
  ServerEvent,
  ServerEventName,
  ServerEvents,
} from '../../clients/typescript/src/index.js';

/** A connection to /stream with nothing between the test and the wire. */
export class RawStream {
  readonly events: ServerEvent[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private waiting: (() => void)[] = [];

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()) as ServerEvent);
      this.waiting.splice(0).forEach((wake) => wake());
    });
    this.closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.waiting.splice(0).forEach((wake) => wake());
      }),
    );
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<RawStream> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/stream`, options);
    const stream = new RawStream(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return stream;
  }

  /** Connected, with a session. */
  static async open(url: string, options: ClientOptions = {}): Promise<RawStream> {
    const stream = await RawStream.connect(url, options);
    stream.send('session.open');
    await stream.next('session.ready');
    return stream;
  }

  get sessionId(): string {
    return this.all('session.ready')[0]!.session_id;
  }

  send(event: string, data: object = {}): void {
    this.socket.send(JSON.stringify({ event, data }));
  }

  frame(sequence: number, picture: Uint8Array, timestampUs = sequence * 500_000, key = false): void {
    this.socket.send(encodeFrame({ sequence, timestampUs, key }, picture));
  }

  all<Name extends ServerEventName>(name: Name): ServerEvents[Name][] {
    return this.events.filter(({ event }) => event === name).map(({ data }) => data as ServerEvents[Name]);
  }

  /** The first event of the name that fits, whether it has come or is to come. Rejects when the connection closes before. */
  async next<Name extends ServerEventName>(
    name: Name,
    fits: (data: ServerEvents[Name]) => boolean = () => true,
  ): Promise<ServerEvents[Name]> {
    for (;;) {
      const found = this.all(name).find(fits);
      if (found !== undefined) return found;
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`Closed without ${name}; last came ${JSON.stringify(this.events.slice(-3))}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}

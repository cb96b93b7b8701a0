import { DEFAULT_RECONNECT, ReconnectOptions, waitMs } from './backoff.js';
import { SaccadeClientError } from './client-error.js';
import { ClientEvents, ServerEvent, SessionReady } from './events.js';
import { Socket, SocketConstructor, socketConstructor } from './socket.js';

export interface ConnectionOptions {
  /** A WebSocket class, where the platform has none. */
  WebSocket?: unknown;
  reconnect?: Partial<ReconnectOptions>;
  /** Time between two pings; a connection on which nothing was heard for two of them is given up. 20 s by default. */
  pingMs?: number;
  /** For tests. */
  timers?: Timers;
  /** For tests: in [0, 1). */
  random?: () => number;
}

export interface Timers {
  set(run: () => void, ms: number): unknown;
  clear(timer: unknown): void;
}

export type ConnectionState = 'connecting' | 'open' | 'reconnecting' | 'closed';

export interface ConnectionHandler {
  /** The first message of each connection. */
  opening: () => OpeningMessage;
  ready: (ready: SessionReady) => void;
  event: (event: ServerEvent) => void;
  state: (state: ConnectionState) => void;
  /** For good: nothing comes after it. */
  closed: (why: SaccadeClientError | null) => void;
}

export type OpeningMessage = {
  [Name in 'session.open' | 'session.resume' | 'session.observe']: { event: Name; data: ClientEvents[Name] };
}['session.open' | 'session.resume' | 'session.observe'];

/** Close codes after which another connection would end the same way. */
const FINAL = new Set([1000, 4400, 4401, 4404, 4409, 4410]);
const DEFAULT_PING_MS = 20_000;
const PLATFORM_TIMERS: Timers = {
  set: (run, ms) => setTimeout(run, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** A WebSocket that comes back: opens, pings, and connects again when it breaks. */
export class Connection {
  private socket: Socket | null = null;
  private attempt = 0;
  private isOver = false;
  private wasReady = false;
  private heard = true;
  private pinging: unknown = null;
  private waiting: unknown = null;
  private lastError: SaccadeClientError | null = null;
  private readonly timers: Timers;
  private readonly reconnect: ReconnectOptions;

  constructor(
    private readonly url: string,
    private readonly options: ConnectionOptions,
    private readonly handler: ConnectionHandler,
  ) {
    this.timers = options.timers ?? PLATFORM_TIMERS;
    this.reconnect = { ...DEFAULT_RECONNECT, ...options.reconnect };
  }

  async start(): Promise<void> {
    this.handler.state('connecting');
    this.connect(await socketConstructor(this.options.WebSocket));
  }

  send<Name extends keyof ClientEvents>(event: Name, data: ClientEvents[Name]): void {
    this.socket?.send(JSON.stringify({ event, data }));
  }

  sendBinary(message: Uint8Array): void {
    this.socket?.send(message);
  }

  /** Drops the connection for good. */
  end(why: SaccadeClientError | null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.timers.clear(this.pinging);
    this.timers.clear(this.waiting);
    this.socket?.close(1000);
    this.socket = null;
    this.handler.state('closed');
    this.handler.closed(why);
  }

  private connect(constructor: SocketConstructor): void {
    const socket = new constructor(this.url);
    this.socket = socket;
    socket.onopen = () => {
      const { event, data } = this.handler.opening();
      socket.send(JSON.stringify({ event, data }));
      this.heard = true;
      this.ping(socket);
    };
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(String(data));
    };
    socket.onerror = () => undefined; // a close follows and tells more
    socket.onclose = ({ code, reason }) => {
      if (this.socket === socket) this.broke(constructor, code, reason);
    };
  }

  private receive(text: string): void {
    this.heard = true;
    const event = JSON.parse(text) as ServerEvent;
    if (event.event === 'session.ready') {
      this.attempt = 0;
      this.wasReady = true;
      this.lastError = null;
      this.handler.state('open');
      this.handler.ready(event.data);
    } else if (event.event === 'error') {
      this.lastError = SaccadeClientError.of(event.data);
      if (!this.wasReady) return this.end(this.lastError);
    }
    this.handler.event(event);
  }

  private ping(socket: Socket): void {
    this.pinging = this.timers.set(() => {
      if (this.socket !== socket) return;
      if (!this.heard) {
        // Half open: the other side will not answer a close, so it is not waited for.
        socket.onclose?.({ code: 1006, reason: 'no answer to a ping' });
        socket.close();
        return;
      }
      this.heard = false;
      this.send('ping', {});
      this.ping(socket);
    }, this.options.pingMs ?? DEFAULT_PING_MS);
  }

  private broke(constructor: SocketConstructor, code: number, reason: string): void {
    this.timers.clear(this.pinging);
    this.socket = null;
    if (this.isOver) return;
    const told =
      this.lastError ?? new SaccadeClientError('connection_lost', lostMessage(code, reason), null, true);
    if (code === 1000) return this.end(null);
    // What cannot be opened is told at once; only a session that was open is worth waiting for.
    if (FINAL.has(code) || !this.wasReady) return this.end(told);
    if (this.attempt >= this.reconnect.maxAttempts) return this.end(told);
    this.handler.state('reconnecting');
    const ms = waitMs(this.reconnect, this.attempt++, this.options.random ?? Math.random);
    this.waiting = this.timers.set(() => this.connect(constructor), ms);
  }
}

function lostMessage(code: number, reason: string): string {
  return `The connection was lost (code ${code}${reason === '' ? '' : `, ${reason}`}). Check the address and that the server runs.`;
}

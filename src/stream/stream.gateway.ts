import { OnApplicationBootstrap } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  OnGatewayConnection,
  OnGatewayDisconnect,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import { PinoLogger } from 'nestjs-pino';
import { WebSocket } from 'ws';
import { Settings } from '../config/settings.js';
import { SaccadeError } from '../errors/saccade-error.js';
import { validated } from '../http/validation.js';
import { spatialQuestion } from '../reason/request-reader.js';
import { LiveSessionRepository } from '../sessions/live/live-session.repository.js';
import { LiveSessions } from '../sessions/live/live-sessions.js';
import { SessionQuestion } from '../sessions/live/session-questions.js';
import { AskDto, CancelDto, ObserveDto, PingDto, ResumeDto } from './dto/control.dto.js';
import { FRAME, MALFORMED } from './stream-adapter.js';
import { StreamConnection, StreamOptions } from './stream-connection.js';

/** `WS /stream`: one line for each event; a connection does the work. */
@WebSocketGateway({ path: '/stream' })
export class StreamGateway implements OnGatewayConnection, OnGatewayDisconnect, OnApplicationBootstrap {
  private readonly connections = new WeakMap<WebSocket, StreamConnection>();
  private readonly observers = new Map<string, number>();
  private readonly options: StreamOptions;

  constructor(
    private readonly sessions: LiveSessions,
    private readonly repository: LiveSessionRepository,
    private readonly settings: Settings,
    private readonly logger: PinoLogger,
  ) {
    this.logger.setContext(StreamGateway.name);
    this.options = streamOptions(settings);
  }

  onApplicationBootstrap(): void {
    if (this.settings.streamObserverToken === undefined)
      this.logger.info(
        'whoever reaches this server may observe live sessions; STREAM_OBSERVER_TOKEN limits it',
      );
  }

  handleConnection(socket: WebSocket): void {
    const { sessions, repository, observers, options } = this;
    this.connections.set(socket, new StreamConnection(socket, sessions, repository, observers, options));
  }

  handleDisconnect(socket: WebSocket): void {
    this.connections.get(socket)?.gone();
  }

  @SubscribeMessage('session.open')
  async open(@ConnectedSocket() socket: WebSocket): Promise<void> {
    await this.connection(socket).open();
  }

  @SubscribeMessage('session.resume')
  async resume(@ConnectedSocket() socket: WebSocket, @MessageBody() data: unknown): Promise<void> {
    await this.valid(socket, ResumeDto, data, (connection, dto) => connection.resume(dto.session_id));
  }

  @SubscribeMessage('session.observe')
  async observe(@ConnectedSocket() socket: WebSocket, @MessageBody() data: unknown): Promise<void> {
    await this.valid(socket, ObserveDto, data, (connection, { session_id, thumbnails, token }) =>
      connection.observe(session_id, thumbnails ?? false, token ?? null),
    );
  }

  @SubscribeMessage('session.close')
  close(@ConnectedSocket() socket: WebSocket): void {
    this.connection(socket).close();
  }

  @SubscribeMessage('ask')
  async ask(@ConnectedSocket() socket: WebSocket, @MessageBody() data: unknown): Promise<void> {
    await this.valid(socket, AskDto, data, (connection, dto) => connection.ask(this.question(dto)));
  }

  @SubscribeMessage('cancel')
  async cancel(@ConnectedSocket() socket: WebSocket, @MessageBody() data: unknown): Promise<void> {
    await this.valid(socket, CancelDto, data, (connection, dto) => connection.cancel(dto.question_id));
  }

  @SubscribeMessage('ping')
  async ping(@ConnectedSocket() socket: WebSocket, @MessageBody() data: unknown): Promise<void> {
    await this.valid(socket, PingDto, data, (connection, { nonce = null }) =>
      connection.send('pong', { nonce }),
    );
  }

  @SubscribeMessage(FRAME)
  frame(@ConnectedSocket() socket: WebSocket, @MessageBody() message: Buffer): void {
    this.connection(socket).frame(message);
  }

  @SubscribeMessage(MALFORMED)
  malformed(@ConnectedSocket() socket: WebSocket, @MessageBody() what: string): void {
    this.connection(socket).guard(() => {
      throw new SaccadeError('input', 'message_malformed', `A message ${what}.`, { field: 'event' });
    });
  }

  private connection(socket: WebSocket): StreamConnection {
    return this.connections.get(socket)!;
  }

  /** Runs the work on a valid message; an invalid one is answered by an error that names the question it is about. */
  private async valid<T extends object>(
    socket: WebSocket,
    type: new () => T,
    data: unknown,
    work: (connection: StreamConnection, dto: T) => void | Promise<void>,
  ): Promise<void> {
    const connection = this.connection(socket);
    let running: void | Promise<void> = undefined;
    connection.guard(() => {
      running = work(connection, validated(type, data));
    }, about(data));
    await running;
  }

  private question(dto: AskDto): SessionQuestion {
    const { settings } = this;
    const timeoutMs = Math.min(dto.timeout_ms ?? settings.streamWaitMaxMs, settings.streamWaitMaxMs);
    return {
      questionId: dto.question_id,
      question: spatialQuestion(dto),
      groundTruth: dto.ground_truth ?? null,
      temperature: dto.temperature ?? settings.lmTemperature,
      seed: dto.seed ?? null,
      deadlineMs: dto.deadline_ms ?? settings.streamQuestionDeadlineMs,
      standing:
        dto.mode !== 'wait'
          ? null
          : {
              until: dto.until ?? [],
              minConfidence: dto.min_confidence ?? settings.streamWaitConfidence,
              timeoutMs,
            },
    };
  }
}

function about(data: unknown): { question_id?: string } {
  if (typeof data !== 'object' || data === null || !('question_id' in data)) return {};
  return typeof data.question_id === 'string' ? { question_id: data.question_id.slice(0, 64) } : {};
}

function streamOptions(settings: Settings): StreamOptions {
  return {
    limits: {
      max_fps: settings.streamMaxFps,
      max_bytes_per_s: settings.streamMaxBytesPerS,
      frame_max_bytes: settings.streamFrameMaxBytes,
      frame_max_pixels: settings.streamFrameMaxPixels,
      queue_frames: settings.streamQueueFrames,
      max_questions: settings.streamMaxQuestions,
    },
    picture: {
      maxBytes: settings.streamFrameMaxBytes,
      maxPixels: settings.streamFrameMaxPixels,
      pixelsSetting: 'STREAM_FRAME_MAX_PIXELS',
      maxWidth: settings.frameMaxSide,
    },
    credits: settings.streamCredits,
    idleMs: settings.streamIdleMs,
    pingMs: settings.streamPingMs,
    maxObservers: settings.streamMaxObservers,
    observerToken: settings.streamObserverToken ?? null,
  };
}

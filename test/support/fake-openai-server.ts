import { createServer, IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { AddressInfo } from 'node:net';
import { CompletionBody, Endpoint, renderChunks, renderCompletion } from './fake-openai-protocol.js';
import { answer, FakeReply } from './fake-openai-replies.js';

export interface FakeRequest {
  /** Order of arrival, from 0, completions only. */
  index: number;
  path: string;
  headers: IncomingHttpHeaders;
  /** The JSON body as sent. */
  body: Record<string, unknown>;
  receivedAtMs: number;
  /** Settles true when the caller goes away before the answer is complete, else false. */
  aborted: Promise<boolean>;
}

export interface FakeOpenAiOptions {
  /** Names that `/v1/models` lists; requests for others get 404. */
  models?: readonly string[];
  /** When set, requests without this bearer key get 401. */
  apiKey?: string;
  /** Context that `/v1/models` tells, as vLLM does. */
  maxModelLength?: number;
  /** Body fields answered with 400, as strict servers do with those they do not know. */
  unknownFields?: readonly string[];
}

/** A server on loopback that speaks OpenAI's completions protocol and answers as its script says. */
export class FakeOpenAiServer {
  readonly requests: FakeRequest[] = [];
  private readonly server: Server;
  private reply: (request: FakeRequest) => FakeReply | Promise<FakeReply> = () => answer('ok');
  private open = 0;
  /** Most completions that were in flight at once. */
  peakInFlight = 0;

  constructor(private readonly options: FakeOpenAiOptions = {}) {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  async start(): Promise<{ baseUrl: string }> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return { baseUrl: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1` };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Answers every later completion request by `reply`. */
  script(reply: (request: FakeRequest) => FakeReply | Promise<FakeReply>): void {
    this.reply = reply;
  }

  /** Answers the next completion requests by these in order, the last one for all after it. */
  scriptSequence(...replies: FakeReply[]): void {
    const first = this.requests.length;
    this.script((request) => replies[Math.min(request.index - first, replies.length - 1)]);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://fake').pathname;
    const { apiKey } = this.options;
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
      return sendError(response, 401, 'Incorrect API key provided', { code: 'invalid_api_key' });
    if (request.method === 'GET' && path === '/v1/models')
      return sendJson(response, 200, {
        object: 'list',
        data: (this.options.models ?? ['fake-model']).map((id) => ({
          id,
          object: 'model',
          created: 0,
          owned_by: 'fake',
          max_model_len: this.options.maxModelLength,
        })),
      });
    const endpoint = request.method === 'POST' ? endpointOf(path) : null;
    if (endpoint === null) return sendError(response, 404, `No route ${request.method} ${path}`);
    const body = await readJson(request);
    const refusal = this.refuse(endpoint, body);
    const recorded: FakeRequest = {
      index: this.requests.length,
      path,
      headers: request.headers,
      body: body ?? {},
      receivedAtMs: performance.now(),
      aborted: new Promise((resolve) => response.on('close', () => resolve(!response.writableFinished))),
    };
    this.requests.push(recorded);
    if (refusal !== null) return sendError(response, refusal.status, refusal.message);
    this.peakInFlight = Math.max(this.peakInFlight, ++this.open);
    response.on('close', () => this.open--);
    await send(response, endpoint, recorded.body as unknown as CompletionBody, await this.reply(recorded));
  }

  private refuse(
    endpoint: Endpoint,
    body: Record<string, unknown> | null,
  ): { status: number; message: string } | null {
    if (body === null) return { status: 400, message: 'We could not parse the JSON body of your request.' };
    const unknown = this.options.unknownFields?.find((field) => field in body);
    if (unknown !== undefined)
      return { status: 400, message: `Unrecognized request argument supplied: ${unknown}` };
    if (typeof body.model !== 'string') return { status: 400, message: 'you must provide a model parameter' };
    const models = this.options.models;
    if (models !== undefined && !models.includes(body.model))
      return { status: 404, message: `The model \`${body.model}\` does not exist` };
    if (endpoint === 'chat' && (!Array.isArray(body.messages) || body.messages.length === 0))
      return { status: 400, message: "'messages' must be a non-empty array" };
    if (endpoint === 'text' && body.prompt === undefined)
      return { status: 400, message: "'prompt' is required" };
    return null;
  }
}

function endpointOf(path: string): Endpoint | null {
  if (path === '/v1/chat/completions') return 'chat';
  return path === '/v1/completions' ? 'text' : null;
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-fake', ...headers });
  response.end(JSON.stringify(body));
}

function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  more: { headers?: Record<string, string>; code?: string } = {},
): void {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  sendJson(
    response,
    status,
    { error: { message, type, param: null, code: more.code ?? null } },
    more.headers,
  );
}

/** Writes events one at a time, so that each arrives as its own piece of the stream. */
async function sendEvents(
  response: ServerResponse,
  events: readonly unknown[],
  end: 'done' | 'end' | 'cut' | 'hang',
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) {
    if (response.destroyed) return;
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === 'cut') response.destroy();
  if (end === 'done') response.write('data: [DONE]\n\n');
  if (end === 'done' || end === 'end') response.end();
}

async function send(
  response: ServerResponse,
  endpoint: Endpoint,
  body: CompletionBody,
  reply: FakeReply,
): Promise<void> {
  switch (reply.kind) {
    case 'answer': {
      const { cutAfterEvents, hangAfterEvents } = reply;
      if (body.stream !== true && cutAfterEvents === undefined && hangAfterEvents === undefined)
        return sendJson(response, 200, renderCompletion(endpoint, body, reply));
      const events = renderChunks(endpoint, body, reply).slice(0, cutAfterEvents ?? hangAfterEvents);
      const end = cutAfterEvents !== undefined ? 'cut' : hangAfterEvents !== undefined ? 'hang' : 'done';
      return sendEvents(response, events, end);
    }
    case 'json':
      return sendJson(response, reply.status ?? 200, reply.body, reply.headers);
    case 'sse':
      return sendEvents(response, reply.events, reply.done === false ? 'end' : 'done');
    case 'error':
      return sendError(response, reply.status, reply.message, reply);
    case 'garbage':
      response.writeHead(200, { 'content-type': reply.contentType ?? 'application/json' });
      response.end(reply.body);
      return;
    case 'cut':
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': reply.body.length + 100,
      });
      response.write(reply.body, () => response.destroy());
      return;
    case 'hang':
      return;
    case 'drop':
      response.destroy();
  }
}

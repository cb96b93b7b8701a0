import { OpenAPIObject } from '@nestjs/swagger';
import { AskDto, CancelDto, CloseDto, ObserveDto, OpenDto, PingDto, ResumeDto } from './dto/control.dto.js';
import { SERVER_EVENTS } from './dto/event.dto.js';
import { FRAME_HEADER_BYTES } from './frame-message.js';

/** JSON, as far as it is looked into here. */
type Json = { [key: string]: unknown };

interface Described {
  data: new () => object;
  summary: string;
}

/** What the client sends, by the name of the event. */
export const CLIENT_MESSAGES = {
  'session.open': { data: OpenDto, summary: 'Begin a session.' },
  'session.resume': { data: ResumeDto, summary: 'Go on with a session.' },
  'session.observe': { data: ObserveDto, summary: 'Follow a session.' },
  'session.close': { data: CloseDto, summary: 'Finish the session.' },
  ask: { data: AskDto, summary: 'Ask about what was seen up to now.' },
  cancel: { data: CancelDto, summary: 'Drop a question.' },
  ping: { data: PingDto, summary: 'Is anybody there? For clients that cannot send WebSocket pings.' },
} satisfies Record<string, Described>;

/** Classes whose schemas the description refers to. */
export const STREAM_MODELS: (new () => object)[] = [
  ...Object.values(CLIENT_MESSAGES),
  ...Object.values(SERVER_EVENTS),
].map(({ data }) => data);

/**
 * `/stream` as an AsyncAPI 3.0 document, from the classes that validate and describe its messages.
 * @param openApi made with STREAM_MODELS among its models
 */
export function asyncApiDocument({ info, components }: OpenAPIObject): Json {
  const schemas = (components?.schemas ?? {}) as Record<string, Json>;
  const messages = {
    frame: {
      name: 'frame',
      summary: 'A picture with its sequence and time.',
      contentType: 'application/octet-stream',
      payload: {
        type: 'string',
        format: 'binary',
        description: `A binary message: a header of ${FRAME_HEADER_BYTES} bytes (version, flags, header length, reserved, sequence, timestamp in µs; big-endian), then a JPEG, PNG or WebP picture. docs/protocol.md has the table.`,
      },
    },
    ...messagesOf(CLIENT_MESSAGES),
    ...messagesOf(SERVER_EVENTS),
  };
  const reference = (name: string) => ({ $ref: `#/channels/stream/messages/${name}` });
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${info.title}: live sessions`,
      version: info.version,
      description:
        'Frames and questions in, keyframes, percepts and answers out. docs/protocol.md tells it in words.',
    },
    servers: { local: { host: '127.0.0.1:3000', protocol: 'ws' } },
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: '/stream',
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      receiveFromClient: {
        action: 'receive',
        channel: { $ref: '#/channels/stream' },
        messages: ['frame', ...Object.keys(CLIENT_MESSAGES)].map(reference),
      },
      sendToClient: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        messages: Object.keys(SERVER_EVENTS).map(reference),
      },
    },
    components: { messages, schemas: referredTo(messages, schemas) },
  };
}

function messagesOf(events: Record<string, Described>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(events).map(([name, { data, summary }]) => [
      name,
      {
        name,
        summary,
        payload: {
          type: 'object',
          required: ['event', 'data'],
          properties: { event: { const: name }, data: { $ref: `#/components/schemas/${data.name}` } },
        },
      },
    ]),
  );
}

/** The schemas that are reached from here, as JSON Schema, in the order of their names. */
function referredTo(from: unknown, schemas: Record<string, Json>): Record<string, unknown> {
  const reached = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (reached.has(name!)) continue;
      const schema = toJsonSchema(schemas[name!] ?? { type: 'object' });
      reached.set(name!, schema);
      visit(schema);
    }
  };
  visit(from);
  return Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** OpenAPI 3.0 has `nullable` where JSON Schema has a type. */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = value as Json;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, toJsonSchema(part)]));
  if (nullable !== true) return schema;
  if (typeof schema.type === 'string' && schema.oneOf === undefined)
    return { ...schema, type: [schema.type, 'null'] };
  const { description, ...kinds } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [kinds, { type: 'null' }] };
}

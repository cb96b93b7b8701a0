import { expectTypeOf, it } from 'vitest';
import { SessionEvents } from '../../../src/sessions/live/session-events.js';
import { AskDto, CancelDto, ObserveDto, PingDto, ResumeDto } from '../../../src/stream/dto/control.dto.js';
import { ReadyData } from '../../../src/stream/session-ready.js';
import { ClientEvents, ServerEvents } from './events.js';

// Checked by the compiler: the client's types and the server's are written down apart, and must say the same.

type Sent = SessionEvents & { 'session.ready': ReadyData; pong: { nonce: string | null } };

/** Keys of the first that the second lacks. */
type Missing<A, B> = {
  [Name in keyof A & keyof B]: Exclude<keyof A[Name], keyof B[Name]>;
}[keyof A & keyof B];

it('has every event that the server sends, and every field of it', () => {
  expectTypeOf<keyof ServerEvents>().toEqualTypeOf<keyof Sent>();
  expectTypeOf<Sent>().toExtend<ServerEvents>();
  expectTypeOf<Missing<Sent, ServerEvents>>().toEqualTypeOf<'errors' | 'request_id'>();
  expectTypeOf<Missing<ServerEvents, Sent>>().toEqualTypeOf<'thumbnail'>();
});

it('has every field that the server reads', () => {
  interface Read {
    'session.resume': ResumeDto;
    'session.observe': ObserveDto;
    ask: AskDto;
    cancel: CancelDto;
    ping: PingDto;
  }
  expectTypeOf<Missing<Read, ClientEvents>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<ClientEvents, Read>>().toEqualTypeOf<never>();
});

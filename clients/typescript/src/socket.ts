import { SaccadeClientError } from './client-error.js';

/** The part of the standard WebSocket that is used; browsers, Node from 22 on and the package `ws` have it. */
export interface Socket {
  binaryType: string;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
}

export type SocketConstructor = new (url: string) => Socket;

/** The one given, the platform's, or that of the package `ws`. */
export async function socketConstructor(given: unknown): Promise<SocketConstructor> {
  const own = given ?? (globalThis as { WebSocket?: unknown }).WebSocket;
  if (own !== undefined) return own as SocketConstructor;
  const name = 'ws'; // not a literal, so that bundlers for browsers leave it alone
  try {
    const module = (await import(/* @vite-ignore */ name)) as { WebSocket: SocketConstructor };
    return module.WebSocket;
  } catch {
    throw new SaccadeClientError(
      'no_websocket',
      'This platform has no WebSocket. Use Node 22 or newer, install the package ws, or give the option WebSocket.',
    );
  }
}

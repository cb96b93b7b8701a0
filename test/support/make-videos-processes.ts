import { readdirSync, readFileSync } from 'node:fs';

/**
 * Decoders of this process that exist, dead ones that were not reaped included.
 * Reads Linux's /proc: the parent and the state of each process stand in its `stat`.
 */
export function decoders(): { pid: number; state: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, command, state, parent] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(readProc(`${pid}/stat`)) ?? [];
      return command?.startsWith('ffmpeg') && Number(parent) === process.pid
        ? [{ pid: Number(pid), state: state! }]
        : [];
    });
}

/** Bytes that a process has written so far. */
export function bytesWritten(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readProc(`${pid}/io`))?.[1]);
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return ''; // gone in the meantime
  }
}

import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, Dispatcher, request } from 'undici';
import { cancelled, SaccadeError } from '../errors/saccade-error.js';
import { videoTooLarge } from './decode-errors.js';
import { AddressPolicy, pinnedLookup, resolveAllowed } from './pinned-address.js';

export interface RemoteVideoOptions extends AddressPolicy {
  /** Folder for the temporary file. */
  dataDir: string;
  maxBytes: number;
  /** Longest time of the whole download, redirects included. */
  downloadTimeoutMs: number;
}

export interface RemoteVideo {
  path: string;
  remove: () => Promise<void>;
}

const FIELD = 'video_url';
const MAX_REDIRECTS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/**
 * Downloads a video to a temporary file. Each address on the way, redirects included, is checked and then connected
 * to as checked, so that a name cannot mean one host for the check and another for the connection.
 *
 * @throws SaccadeError that names video_url
 */
export async function downloadVideo(
  url: string,
  options: RemoteVideoOptions,
  signal: AbortSignal,
): Promise<RemoteVideo> {
  const timer = AbortSignal.timeout(options.downloadTimeoutMs);
  const either = AbortSignal.any([signal, timer]);
  const folder = join(options.dataDir, 'downloads');
  const path = join(folder, `video-${randomUUID()}`);
  const remove = () => rm(path, { force: true });
  try {
    await mkdir(folder, { recursive: true });
    await follow(url, path, options, either);
    return { path, remove };
  } catch (error) {
    await remove();
    if (signal.aborted) throw cancelled('Downloading the video');
    if (timer.aborted) throw tooSlow(options.downloadTimeoutMs, error);
    throw error instanceof SaccadeError ? error : unreachable(error);
  }
}

async function follow(
  first: string,
  path: string,
  options: RemoteVideoOptions,
  signal: AbortSignal,
): Promise<void> {
  let url = readUrl(first);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const addresses = await resolveAllowed(url.hostname, options, signal);
    const agent = new Agent({
      connect: { lookup: pinnedLookup(addresses), timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: SILENCE_TIMEOUT_MS,
      bodyTimeout: SILENCE_TIMEOUT_MS,
    });
    try {
      const response = await request(url, {
        dispatcher: agent,
        signal,
        headers: { 'accept-encoding': 'identity' },
      });
      response.body.on('error', () => undefined); // a body that is dropped below ends in an error that says nothing
      const next = redirectTarget(response, url);
      if (next === null) {
        await save(response, path, options.maxBytes, signal);
        return;
      }
      url = next;
    } finally {
      await agent.destroy();
    }
  }
  throw refused(
    'too_many_redirects',
    `video_url leads through more than ${MAX_REDIRECTS} redirects. Give the final address.`,
  );
}

function readUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) {
    throw refused('invalid_video_url', 'video_url is not an address such as https://example.org/clip.mp4.');
  }
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const where = base === undefined ? 'video_url starts' : 'video_url redirects to an address that starts';
    throw refused('invalid_video_url', `${where} with ${url.protocol} but only http: and https: are read.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'invalid_video_url',
      'video_url holds a user name or password. Use an address that needs none, such as a signed one.',
    );
  }
  return url;
}

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  const location = headers.location;
  if ([301, 302, 303, 307, 308].includes(statusCode) && typeof location === 'string')
    return readUrl(location, from);
  const message = `The server of video_url (${from.host}) answered with status ${statusCode}.`;
  if (statusCode >= 500 || statusCode === 429)
    throw new SaccadeError('upstream', 'video_url_failed', message, { field: FIELD, upstream: FIELD });
  throw new SaccadeError(
    'unprocessable',
    'video_url_failed',
    `${message} Check that the video can be read without signing in.`,
    {
      field: FIELD,
    },
  );
}

async function save(
  { headers, body }: Dispatcher.ResponseData,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw videoTooLarge(FIELD, maxBytes);
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? videoTooLarge(FIELD, maxBytes) : null, chunk);
    },
  });
  await pipeline(body, count, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
}

function refused(code: string, message: string): SaccadeError {
  return new SaccadeError('input', code, message, { field: FIELD });
}

function tooSlow(limitMs: number, cause: unknown): SaccadeError {
  const message = `Downloading video_url took longer than ${limitMs} ms (DOWNLOAD_TIMEOUT_MS). Try again, or upload the video.`;
  return new SaccadeError('deadline', 'download_timeout', message, {
    field: FIELD,
    limit: limitMs,
    upstream: FIELD,
    cause,
  });
}

function unreachable(cause: unknown): SaccadeError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  const message = `video_url could not be downloaded${code}. Try again, or upload the video.`;
  return new SaccadeError('upstream', 'video_url_failed', message, { field: FIELD, upstream: FIELD, cause });
}

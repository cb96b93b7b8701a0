import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { SaccadeError } from '../errors/saccade-error.js';

export interface Upload {
  fields: Record<string, string | string[]>;
  /** Path of the stored video; null when the form had none. */
  videoPath: string | null;
  remove: () => Promise<void>;
}

export interface UploadOptions {
  folder: string;
  maxBytes: number;
}

const LIMITS = { files: 1, fields: 40, fieldSize: 16_384, parts: 42 };

/**
 * Reads a multipart form to disk as it arrives. The name that the client gives its file is ignored; the file's own
 * name is random. Whatever goes wrong, nothing is left behind.
 *
 * @throws SaccadeError input or too_large
 */
export async function receiveUpload(
  request: IncomingMessage,
  { folder, maxBytes }: UploadOptions,
  signal: AbortSignal,
): Promise<Upload> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `upload-${randomUUID()}`);
  const remove = () => rm(path, { force: true });
  const fields: Upload['fields'] = Object.create(null) as Upload['fields'];
  let writing: Promise<void> | null = null;
  let problem: SaccadeError | null = null;

  const form = openForm(request, maxBytes);
  form.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated)
      problem ??= new SaccadeError(
        'too_large',
        'field_too_large',
        `${name} is longer than ${LIMITS.fieldSize} bytes.`,
        { field: name, limit: LIMITS.fieldSize },
      );
    const before = fields[name];
    fields[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  });
  form.on('file', (name, file) => {
    if (name !== 'video') {
      problem ??= new SaccadeError(
        'input',
        'unknown_file',
        `The file field must be called "video", not "${name}".`,
        { field: name },
      );
      file.resume();
      return;
    }
    file.on('limit', () => {
      problem ??= new SaccadeError(
        'too_large',
        'video_too_large',
        `The video is larger than ${maxBytes} bytes (VIDEO_MAX_BYTES). Send a shorter or smaller one.`,
        { field: 'video', limit: maxBytes },
      );
    });
    writing = pipeline(file, createWriteStream(path));
    writing.catch(() => undefined); // awaited below; a form that breaks first must not leave it unhandled
  });
  form.on('partsLimit', () => (problem ??= tooMany()));
  form.on('fieldsLimit', () => (problem ??= tooMany()));
  form.on(
    'filesLimit',
    () =>
      (problem ??= new SaccadeError('input', 'too_many_files', 'Send one video.', {
        field: 'video',
        limit: LIMITS.files,
      })),
  );

  try {
    await pipeline(request, form, { signal });
    await (writing as Promise<void> | null);
    if (problem !== null) throw problem as SaccadeError;
    return { fields, videoPath: writing === null ? null : path, remove };
  } catch (error) {
    await (writing as Promise<void> | null)?.catch(() => undefined);
    await remove();
    if (error instanceof SaccadeError || signal.aborted) throw error;
    throw new SaccadeError(
      'input',
      'invalid_form',
      `The form could not be read: ${error instanceof Error ? error.message : String(error)}.`,
      { cause: error },
    );
  }
}

function openForm(request: IncomingMessage, maxBytes: number): busboy.Busboy {
  try {
    return busboy({ headers: request.headers, limits: { ...LIMITS, fileSize: maxBytes } });
  } catch (cause) {
    throw new SaccadeError('input', 'invalid_form', 'The multipart/form-data body has no usable boundary.', {
      cause,
    });
  }
}

function tooMany(): SaccadeError {
  return new SaccadeError('input', 'too_many_fields', `The form has more than ${LIMITS.fields} fields.`, {
    limit: LIMITS.fields,
  });
}

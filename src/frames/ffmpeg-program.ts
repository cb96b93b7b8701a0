import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir, rename, stat } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SaccadeError } from '../errors/saccade-error.js';

/** An FFmpeg that was started once to see that it runs. */
export interface FfmpegProgram {
  path: string;
  version: string;
  /** Options that make it write each selected frame exactly once; their name changed with FFmpeg 5.1. */
  passthrough: readonly string[];
}

export interface FfmpegProgramOptions {
  ffmpegPath?: string;
  dataDir: string;
}

const run = promisify(execFile);

/**
 * Takes the given program; else the first on the PATH that runs; else the one that the npm package carries.
 * @throws SaccadeError ffmpeg_missing
 */
export async function findFfmpeg({ ffmpegPath, dataDir }: FfmpegProgramOptions): Promise<FfmpegProgram> {
  if (ffmpegPath !== undefined && ffmpegPath !== '') {
    return inspectFfmpeg(resolve(ffmpegPath)).catch((cause: unknown) => {
      throw missing(
        `FFMPEG_PATH is ${ffmpegPath}, which does not run. Set it to a working FFmpeg, or leave it empty.`,
        cause,
      );
    });
  }
  const failures: unknown[] = [];
  for (const find of [...systemPrograms().map((path) => async () => path), () => bundledProgram(dataDir)]) {
    try {
      return await inspectFfmpeg(await find());
    } catch (error) {
      failures.push(error);
    }
  }
  throw missing(
    'No FFmpeg runs on this machine. Install one (apt install ffmpeg), or set FFMPEG_PATH.',
    failures.at(-1),
  );
}

export async function inspectFfmpeg(path: string): Promise<FfmpegProgram> {
  await access(path, constants.X_OK);
  const { stdout } = await run(path, ['-version'], { timeout: 20_000, windowsHide: true });
  const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} is not FFmpeg`);
  const [major, minor] = (/^libavutil +(\d+)\. *(\d+)\./m.exec(stdout) ?? []).slice(1).map(Number);
  // libavutil, because builds from git name no release; 57.28 came with FFmpeg 5.1
  const renamed = major !== undefined && (major > 57 || (major === 57 && minor! >= 28));
  return { path, version, passthrough: [renamed ? '-fps_mode' : '-vsync', 'passthrough'] };
}

/** npm does not promise the executable bit for every user: a file without it is copied to where we may set it. */
export async function makeExecutable(path: string, dataDir: string): Promise<string> {
  try {
    await access(path, constants.X_OK);
    return path;
  } catch {
    const folder = join(dataDir, 'bin');
    const copy = join(folder, `${(await stat(path)).size}-${basename(path)}`);
    try {
      await access(copy, constants.X_OK);
    } catch {
      await mkdir(folder, { recursive: true });
      const fresh = `${copy}.${process.pid}`;
      await copyFile(path, fresh);
      await chmod(fresh, 0o755);
      await rename(fresh, copy); // at once, as a second server may start at the same time
    }
    return copy;
  }
}

function systemPrograms(): string[] {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...new Set(folders)].map((folder) => join(folder, name));
}

async function bundledProgram(dataDir: string): Promise<string> {
  const { default: bundled } = await import('@ffmpeg-installer/ffmpeg'); // throws where it has no program
  return makeExecutable(bundled.path, dataDir);
}

function missing(message: string, cause: unknown): SaccadeError {
  return new SaccadeError('internal', 'ffmpeg_missing', message, { field: 'FFMPEG_PATH', cause });
}

import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface StreamCommand {
  video: string;
  question: string | null;
  options: string[];
  /** The right answer, where the clip's file tells it. */
  rightAnswer: string | null;
  /** Times real time. */
  rate: number;
  fps: number;
  /** Seconds into the video; null for the end. */
  askAt: number | null;
  wait: boolean;
  /** Null for a server on this machine, started if there is none. */
  url: string | null;
  json: boolean;
}

/** What is wrong with the command line. */
export class UsageError extends Error {}

export const USAGE = `Streams a video file to a Saccade server, as a camera would, and asks about it.

  npm run stream -- <video> [--question "…"] [--option …]… [--rate 1] [--fps 1]

  --question   what to ask; a sample clip brings its own when it is left out
  --option     a choice; give it for each. A sample clip's question brings its own
  --rate       speed, in times real time (1)
  --fps        frames looked at per second of video (1, as the paper)
  --ask-at     seconds into the video at which to ask (the end)
  --wait       ask at the beginning and let the question stand until the model is confident
  --url        such as ws://robot:3000/stream (the server on this machine, started if there is none)
  --json       one event a line

  npm run stream -- samples/room.mp4 --question "Which way did I turn in all?" --rate 2`;

/** @throws UsageError */
export function readStreamCommand(args: readonly string[]): StreamCommand | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [video, ...more] = positionals;
  if (video === undefined) throw new UsageError('Which video? Name a file.');
  if (more.length > 0) throw new UsageError(`One video at a time; ${more[0]} is too much.`);
  if (!existsSync(video)) throw new UsageError(`There is no file ${video}.`);
  const known = questionOf(video, values.question);
  return {
    video,
    question: values.question ?? known?.question ?? null,
    options: values.option ?? known?.options ?? [],
    rightAnswer: values.option === undefined ? (known?.answer ?? null) : null,
    rate: positive('--rate', values.rate ?? '1'),
    fps: positive('--fps', values.fps ?? '1'),
    askAt: values['ask-at'] === undefined ? null : positive('--ask-at', values['ask-at']),
    wait: values.wait ?? false,
    url: values.url ?? null,
    json: values.json ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        question: { type: 'string' },
        option: { type: 'string', multiple: true },
        rate: { type: 'string' },
        fps: { type: 'string' },
        'ask-at': { type: 'string' },
        wait: { type: 'boolean' },
        url: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1000)) throw new UsageError(`${name} must be a number above 0, not ${text}.`);
  return value;
}

interface ClipQuestion {
  question: string;
  options: string[];
  answer: string;
}

/** A sample clip has its questions in a file beside it. */
function questionOf(video: string, asked: string | undefined): ClipQuestion | null {
  const beside = video.replace(/\.\w+$/, '.json');
  if (beside === video || !existsSync(beside)) return null;
  const { questions = [] } = JSON.parse(readFileSync(beside, 'utf8')) as { questions?: ClipQuestion[] };
  return (asked === undefined ? questions[0] : questions.find(({ question }) => question === asked)) ?? null;
}

import { SaccadeClientError, SaccadeStream } from '../../../clients/typescript/src/index.js';
import { loadSettings, readEnvFile } from '../../config/load-settings.js';
import { SaccadeError } from '../../errors/saccade-error.js';
import { FfmpegFrameSource } from '../../frames/ffmpeg-frame-source.js';
import { frameSourceOptions } from '../../frames/frame-source-options.js';
import { playVideo } from './play-video.js';
import { reachServer } from './reach-server.js';
import { readStreamCommand, StreamCommand, USAGE, UsageError } from './stream-options.js';
import { StreamView } from './stream-view.js';

/** `npm run stream -- <video> --question "…" --rate 1`; see USAGE. */
try {
  readEnvFile();
  const command = readStreamCommand(process.argv.slice(2));
  if (command === 'help') console.log(USAGE);
  else await run(command);
} catch (error) {
  const isExpected =
    error instanceof UsageError || error instanceof SaccadeError || error instanceof SaccadeClientError;
  console.error(isExpected ? error.message : error);
  if (error instanceof UsageError) console.error(`\n${USAGE}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function run(command: StreamCommand): Promise<void> {
  const say = (line: string) => (command.json ? undefined : console.log(line));
  const server = await reachServer(command.url, say);
  try {
    await stream(command, server.url);
  } finally {
    await server.close();
  }
}

async function stream(command: StreamCommand, url: string): Promise<void> {
  const { video: path, question, options, askAt, rate, fps, json } = command;
  const settings = { ...frameSourceOptions(loadSettings(process.env)), sampleFps: fps };
  const signal = new AbortController().signal;
  const video = await new FfmpegFrameSource(settings).open({ kind: 'file', path }, signal);
  const stream = await SaccadeStream.open(url);
  const view = json ? null : new StreamView(process.stdout, command, video.info.durationMs);
  view?.begin(stream.sessionId, new URL(url).host);
  const showing = show(stream, view);

  let answering: Promise<void> | null = null;
  const ask = () => {
    if (question === null || answering !== null) return;
    view?.asked(question, options);
    const asked = stream.ask({
      question,
      ...(options.length > 0 && { options }),
      ...(command.wait && { mode: 'wait' }),
    });
    answering = asked.answer.then(
      (answer) => view?.answered(answer),
      (error: SaccadeClientError) => {
        process.exitCode = 1;
        view?.unanswered(error.message);
      },
    );
  };
  if (command.wait) ask();
  await playVideo(video, stream, rate, (ms) => {
    if (askAt !== null && ms >= askAt * 1000) ask();
  });
  ask();
  if (!command.wait) await answering;
  const closed = await stream.close();
  await answering;
  await showing;
  view?.ended(closed);
}

/** Every event, to the view or as a line of JSON. */
async function show(stream: SaccadeStream, view: StreamView | null): Promise<void> {
  for await (const event of stream.events()) {
    if (view !== null) view.hear(event);
    else console.log(JSON.stringify(event));
  }
}

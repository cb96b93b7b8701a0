import { join } from 'node:path';
import type { Request } from 'express';
import { SaccadeError } from '../errors/saccade-error.js';
import { FrameSource, FrameStream } from '../frames/frame-source.js';
import { SpatialQuestion } from '../reasoning/prompt.js';
import { ReasonDto } from './dto/reason.dto.js';
import { ReasonRequest, Subject } from './reason.service.js';
import { receiveUpload } from './upload.js';

/** A request as it came: fields, and the uploaded video where there is one. */
export interface Received {
  body: unknown;
  videoPath: string | null;
  remove: () => Promise<void>;
}

export interface RequestReaderOptions {
  dataDir: string;
  videoMaxBytes: number;
  temperature: number;
}

type VideoFields = Pick<ReasonDto, 'video_url' | 'frames' | 'frame_timestamps_ms'>;
type VideoSubject = Exclude<Subject, { sessionId: string }>;

/** Opens pictures given in the request as a stream of frames. */
export type OpenImages = (
  frames: readonly string[],
  timestampsMs: readonly number[] | undefined,
  signal: AbortSignal,
) => Promise<FrameStream>;

/** Turns an HTTP request into a question with the video it is about. */
export class RequestReader {
  constructor(
    private readonly frameSource: FrameSource,
    private readonly openImages: OpenImages,
    private readonly options: RequestReaderOptions,
  ) {}

  async read(request: Request, signal: AbortSignal): Promise<Received> {
    if (request.is('multipart/form-data') === false)
      return { body: request.body, videoPath: null, remove: async () => undefined };
    const folder = join(this.options.dataDir, 'uploads');
    const { fields, videoPath, remove } = await receiveUpload(
      request,
      { folder, maxBytes: this.options.videoMaxBytes },
      signal,
    );
    return { body: fields, videoPath, remove };
  }

  /** @throws SaccadeError input when there is no video, or more than one, or the question does not fit its answer type */
  question(dto: ReasonDto, received: Received): ReasonRequest {
    return {
      subject: this.subject(dto, received),
      question: spatialQuestion(dto),
      groundTruth: dto.ground_truth ?? null,
      temperature: dto.temperature ?? this.options.temperature,
      seed: dto.seed ?? null,
    };
  }

  private subject(dto: ReasonDto, received: Received): Subject {
    const { session_id: sessionId } = dto;
    if (sessionId === undefined) return this.video(dto, received);
    if (received.videoPath !== null || dto.video_url !== undefined || dto.frames !== undefined)
      throw severalGiven('session_id', 'a session_id and a video');
    return { sessionId };
  }

  /** @throws SaccadeError input when there is none, or more than one */
  video(dto: VideoFields, { videoPath }: Received): VideoSubject {
    const { video_url: url, frames, frame_timestamps_ms: timestampsMs } = dto;
    const given = [videoPath !== null, url !== undefined, frames !== undefined].filter(Boolean).length;
    if (given === 0)
      throw new SaccadeError(
        'input',
        'no_video_given',
        'There is no video: send one of a file in the form field video, video_url, or frames.',
        { field: 'video' },
      );
    if (given > 1) throw severalGiven('video', 'more than one video');
    if (videoPath !== null)
      return {
        source: 'upload',
        open: (signal) => this.frameSource.open({ kind: 'file', path: videoPath }, signal),
      };
    if (url !== undefined)
      return { source: 'url', open: (signal) => this.frameSource.open({ kind: 'url', url }, signal) };
    return { source: 'frames', open: (signal) => this.openImages(frames!, timestampsMs, signal) };
  }
}

function severalGiven(field: string, what: string): SaccadeError {
  return new SaccadeError(
    'input',
    'several_videos_given',
    `There is ${what}: send one of a file in the form field video, video_url, or frames.`,
    { field },
  );
}

/** @throws SaccadeError input when the options do not fit the answer type */
export function spatialQuestion({
  question,
  options = [],
  answer_type: given,
}: Pick<ReasonDto, 'question' | 'options' | 'answer_type'>): SpatialQuestion {
  const answerType = given ?? (options.length > 0 ? 'choice' : 'text');
  if (answerType === 'choice' && options.length < 2) {
    throw new SaccadeError(
      'input',
      'options_missing',
      'A question with answer_type choice needs options: at least 2.',
      { field: 'options', limit: 2 },
    );
  }
  if (answerType !== 'choice' && options.length > 0) {
    throw new SaccadeError(
      'input',
      'options_unexpected',
      `A question with answer_type ${answerType} takes no options. Leave them out, or ask with answer_type choice.`,
      { field: 'options' },
    );
  }
  return { text: question, options, answerType };
}

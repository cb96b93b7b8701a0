/** What FFmpeg says about one frame that it wrote. */
export interface FrameMark {
  /** Presentation time from the start of the file; null when the frame carries none. */
  timestampMs: number | null;
  width: number;
  height: number;
}

export interface VideoStreamHeader {
  codec: string;
  /** Displayed size: square pixels, rotation applied. 0 when the file does not say. */
  width: number;
  height: number;
  /** Pixels as coded. */
  pixels: number;
}

const MOST_PROBLEMS_KEPT = 5;

/**
 * Reads FFmpeg's standard error (`-loglevel level+info`) line by line: first the description of the input, then the
 * lines of the `showinfo` filter and the complaints of the decoder.
 *
 * Lines about frames count only after the stream mapping, since what stands before holds text of the file's author.
 */
export class DecoderLog {
  durationMs: number | null = null;
  /** The stream that is decoded; null until the decoder has been chosen. */
  video: VideoStreamHeader | null = null;
  /** Largest picture that was refused by `-max_pixels`, as `WIDTHxHEIGHT`. */
  refusedSize: string | null = null;
  problemCount = 0;
  /** The first different complaints. */
  readonly problems: string[] = [];
  private readonly streams = new Map<number, VideoStreamHeader>();
  private current: VideoStreamHeader | null = null;
  private mapped = false;

  constructor(private readonly inputName: string) {}

  /** @returns what the line says about a frame, or null */
  read(line: string): FrameMark | null {
    if (this.mapped) {
      const mark = parseFrameMark(line);
      if (mark !== null) return mark;
      const source = /^\[info\] +Stream #0:(\d+) -> #0:0 /.exec(line);
      if (source !== null) this.video ??= this.streams.get(Number(source[1])) ?? null;
    } else {
      this.readHeader(line);
    }
    this.readProblem(line);
    return null;
  }

  private readHeader(line: string): void {
    if (line.startsWith('[info] Stream mapping:')) this.mapped = true;
    this.durationMs ??= parseDuration(line);
    const index = /^\[info\] +Stream #0:(\d+)/.exec(line)?.[1];
    if (index !== undefined) {
      this.current = parseVideoStream(line);
      if (this.current !== null) this.streams.set(Number(index), this.current);
    }
    const degrees = /^\[info\] +displaymatrix: rotation of (-?[\d.]+) degrees/.exec(line)?.[1];
    if (
      degrees !== undefined &&
      this.current !== null &&
      Math.abs(Math.round(Number(degrees) / 90)) % 2 === 1
    ) {
      [this.current.width, this.current.height] = [this.current.height, this.current.width];
    }
  }

  private readProblem(line: string): void {
    const text = /\[(?:error|fatal|panic)\] (.+)$/.exec(line)?.[1]?.trim();
    if (text === undefined) return;
    const size = /Picture size (\d+x\d+) exceeds specified max pixel count/.exec(text)?.[1];
    if (size !== undefined) this.refusedSize ??= size;
    this.problemCount++;
    const shown = text.replaceAll(this.inputName, 'input').slice(0, 200);
    if (this.problems.length < MOST_PROBLEMS_KEPT && !this.problems.includes(shown))
      this.problems.push(shown);
  }
}

/** `[info]   Duration: 00:01:02.50, start: …`; null for other lines and for `N/A`. */
export function parseDuration(line: string): number | null {
  const match = /^\[info\] {3}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?),/.exec(line);
  if (match === null) return null;
  return Math.round((Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])) * 1000);
}

/** `[info]   Stream #0:0[0x1](und): Video: h264 (Main) (avc1 / 0x31637661), yuv420p, 642x362 [SAR 1:1 DAR 321:181], …` */
export function parseVideoStream(line: string): VideoStreamHeader | null {
  const codec = /^\[info\] +Stream #0:\d+.*?: Video: (\w+)/.exec(line)?.[1];
  if (codec === undefined) return null;
  const [width = 0, height = 0, sarNumerator = 1, sarDenominator = 1] = (
    /, ([1-9]\d*)x([1-9]\d*)(?: \[SAR ([1-9]\d*):([1-9]\d*) )?/.exec(line) ?? []
  )
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  return {
    codec,
    width: Math.round((width * sarNumerator) / sarDenominator),
    height,
    pixels: width * height,
  };
}

/**
 * `n:   1 pts:1000000 pts_time:1 … s:320x180 …`, in microseconds. Not tied to the start of the line: a decoder thread
 * may have left an unfinished line before it.
 */
export function parseFrameMark(line: string): FrameMark | null {
  const match = /\bn: *\d+ pts: *(NOPTS|-?\d+) .*?\bs:(\d+)x(\d+)\b/.exec(line);
  if (match === null) return null;
  const timestampMs = match[1] === 'NOPTS' ? null : Math.round(Number(match[1]) / 1000);
  return { timestampMs, width: Number(match[2]), height: Number(match[3]) };
}

import { describe, expect, it } from 'vitest';
import { DecoderLog, parseDuration, parseFrameMark, parseVideoStream } from './decoder-log.js';

// Lines as FFmpeg 4.1 and 5.1 print them.
const HEADER_4 =
  '[info]     Stream #0:0(und): Video: h264 (Main) (avc1 / 0x31637661), yuv420p, 642x362 [SAR 1:1 DAR 321:181], 1961 kb/s, 30 fps';
const HEADER_5 =
  '[info]   Stream #0:1[0x100](und): Video: hevc (Main) ([36][0][0][0] / 0x0024), yuv420p(tv, bt709, progressive), 1440x1080 [SAR 4:3 DAR 16:9], 25 fps';
const MARK =
  '[Parsed_showinfo_4 @ 0x55ac8] [info] n:   1 pts:7200123456 pts_time:7200.12 pos:   220228 fmt:rgb24 sar:2889/2896 s:320x180 i:P iskey:0 type:P checksum:5FD72C19';

describe('the log of the decoder', () => {
  it('gives the size as displayed', () => {
    expect(parseVideoStream(HEADER_4)).toEqual({ codec: 'h264', width: 642, height: 362, pixels: 642 * 362 });
    expect(parseVideoStream(HEADER_5)).toEqual({
      codec: 'hevc',
      width: 1920,
      height: 1080,
      pixels: 1440 * 1080,
    });
    expect(
      parseVideoStream('[info]   Stream #0:0: Video: h264 (avc1 / 0x31637661), none, 10 fps'),
    ).toMatchObject({ width: 0, height: 0 });
    expect(parseVideoStream('[info]   Stream #0:0(und): Audio: aac (LC), 44100 Hz')).toBeNull();
  });

  it('gives the duration, or none', () => {
    expect(parseDuration('[info]   Duration: 02:00:01.50, start: 1.400000, bitrate: 79 kb/s')).toBe(
      7_201_500,
    );
    expect(parseDuration('[info]   Duration: N/A, start: 0.000000, bitrate: N/A')).toBeNull();
    expect(parseDuration('[info]     title           : Duration: 00:00:01.00, start')).toBeNull();
  });

  it('gives times to the millisecond two hours into a video', () => {
    expect(parseFrameMark(MARK)).toEqual({ timestampMs: 7_200_123, width: 320, height: 180 });
  });

  it('gives a mark that stands after an unfinished line', () => {
    const line = `error while decoding MB ${MARK.slice(MARK.indexOf('n:'))}`;
    expect(parseFrameMark(line)).toMatchObject({ timestampMs: 7_200_123 });
  });

  it('tells a frame without a time', () => {
    expect(parseFrameMark('n:   0 pts:  NOPTS pts_time:NOPTS pos: 0 fmt:rgb24 sar:1/1 s:64x48 i:P')).toEqual({
      timestampMs: null,
      width: 64,
      height: 48,
    });
  });

  it('takes no mark from the text of the author of the file', () => {
    const log = new DecoderLog('file:/videos/a.mp4');
    expect(log.read(`[info]     title           : ${MARK}`)).toBeNull();
    log.read(HEADER_4);
    log.read('[info] Stream mapping:');
    log.read('[info]   Stream #0:0 -> #0:0 (h264 (native) -> rawvideo (native))');
    expect(log.read(MARK)).not.toBeNull();
    expect(log.video).toMatchObject({ codec: 'h264' });
  });

  it('swaps the sides of a stream that is shown turned', () => {
    const log = new DecoderLog('file:/videos/a.mp4');
    for (const line of [
      HEADER_4,
      '[info]       displaymatrix: rotation of -90.00 degrees',
      HEADER_5.replace('#0:1', '#0:2'),
      '[info] Stream mapping:',
      '[info]   Stream #0:0 -> #0:0 (h264 (native) -> rawvideo (native))',
    ]) {
      log.read(line);
    }
    expect(log.video).toMatchObject({ width: 362, height: 642 });
  });

  it('counts complaints, keeps few, and tells no path', () => {
    const log = new DecoderLog('file:/videos/a.mp4');
    for (let slice = 0; slice < 1000; slice++)
      log.read(`[h264 @ 0x5] [error] error while decoding MB ${slice} 1`);
    log.read('[error] file:/videos/a.mp4: Invalid data found when processing input');
    expect(log.problemCount).toBe(1001);
    expect(log.problems).toHaveLength(5);
    const other = new DecoderLog('file:/videos/a.mp4');
    other.read('[error] file:/videos/a.mp4: Invalid data found when processing input');
    expect(other.problems).toEqual(['input: Invalid data found when processing input']);
  });
});

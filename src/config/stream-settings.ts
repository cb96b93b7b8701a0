import { IsInt, IsNumber, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';
import { Setting } from './setting.js';

/** Settings of live sessions; what each limit does is told in docs/protocol.md. */
export class StreamSettings {
  @Setting('Live sessions at a time', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(10_000)
  streamMaxSessions = 64;

  @Setting('Observers of one live session at a time', { kind: 'number' })
  @IsInt()
  @Min(0)
  @Max(1000)
  streamMaxObservers = 16;

  @Setting('Key that observers of live sessions must give; empty lets in whoever reaches the server', {
    secret: true,
  })
  @IsOptional()
  @IsString()
  @MinLength(8)
  streamObserverToken?: string;

  @Setting('Most frames a second of one connection, over any two seconds', { kind: 'number' })
  @IsNumber()
  @Min(0.1)
  @Max(120)
  streamMaxFps = 15;

  @Setting('Most bytes a second of one connection, over any two seconds', { kind: 'number' })
  @IsInt()
  @Min(10_000)
  streamMaxBytesPerS = 8_388_608;

  @Setting('Largest picture of a streamed frame, in bytes', { kind: 'number' })
  @IsInt()
  @Min(1024)
  @Max(67_108_864)
  streamFrameMaxBytes = 2_097_152;

  @Setting('Most pixels in a streamed frame', { kind: 'number' })
  @IsInt()
  @Min(4096)
  streamFrameMaxPixels = 8_294_400;

  @Setting('Frames that may be on their way to the server without an answer', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(256)
  streamCredits = 8;

  @Setting('Frames of one session that may wait; more are dropped, oldest first', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(256)
  streamQueueFrames = 16;

  @Setting('Keyframes of one session that may wait for perception before its frames have to', {
    kind: 'number',
  })
  @IsInt()
  @Min(1)
  @Max(64)
  streamPerceptionBacklog = 4;

  @Setting('A live session on which nothing is sent for this long is let go, in milliseconds', {
    kind: 'number',
  })
  @IsInt()
  @Min(1000)
  streamIdleMs = 300_000;

  @Setting('Longest live session, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(1000)
  @Max(2_000_000_000)
  streamMaxLifetimeMs = 43_200_000;

  @Setting('How long a session whose connection broke is kept in memory, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(0)
  @Max(3_600_000)
  streamResumeMs = 120_000;

  @Setting(
    'Time between two pings; a connection that has not answered by the next one is cut, in milliseconds',
    {
      kind: 'number',
    },
  )
  @IsInt()
  @Min(100)
  @Max(600_000)
  streamPingMs = 15_000;

  @Setting('Open questions of one live session', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(256)
  streamMaxQuestions = 8;

  @Setting('How long a question waits for frames and percepts on their way, in milliseconds', {
    kind: 'number',
  })
  @IsInt()
  @Min(0)
  @Max(600_000)
  streamQuestionDeadlineMs = 5000;

  @Setting('Completions sampled each time that a standing question is thought about', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(64)
  streamWaitSamples = 5;

  @Setting('Share of them that must agree before a standing question is answered', { kind: 'number' })
  @IsNumber()
  @Min(0.05)
  @Max(1)
  streamWaitConfidence = 0.8;

  @Setting('Longest time that a question stands, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(1000)
  streamWaitMaxMs = 3_600_000;
}

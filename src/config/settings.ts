import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  IsUrl,
  Max,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { Setting } from './setting.js';
import { StreamSettings } from './stream-settings.js';

const url = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };

/** Every setting of Saccade. Defaults run the whole product on one machine with nothing else installed. */
export class Settings extends StreamSettings {
  // Server
  @Setting('Address to listen on')
  @IsString()
  @MinLength(1)
  host = '127.0.0.1';

  @Setting('Port to listen on; 0 takes a free one', { kind: 'number' })
  @IsInt()
  @Min(0)
  @Max(65535)
  port = 3000;

  @Setting('Least severe log line that is written: fatal, error, warn, info, debug, trace or silent')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  logLevel = 'info';

  @Setting('Folder for the embedded database, converted models and temporary files')
  @IsString()
  @MinLength(1)
  saccadeDataDir = '.data';

  @Setting('PostgreSQL (14 or newer) to use; empty starts the embedded server', { secret: true })
  @IsOptional()
  @IsUrl(
    { ...url, protocols: ['postgres', 'postgresql'] },
    { message: 'DATABASE_URL must look like postgresql://user:password@host:5432/name' },
  )
  databaseUrl?: string;

  @Setting('Largest JSON body, in bytes; `frames` are sent in one', { kind: 'number' })
  @IsInt()
  @Min(1024)
  jsonMaxBytes = 67_108_864;

  @Setting('Longest time that one question may take, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(1000)
  @Max(3_600_000)
  requestTimeoutMs = 120_000;

  @Setting('Questions worked on at the same time; more are told to come back', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(1000)
  maxConcurrentQuestions = 16;

  // Frames
  @Setting('FFmpeg program; empty takes the system one, then the one that the npm package carries')
  @IsOptional()
  @IsString()
  ffmpegPath?: string;

  @Setting('FFprobe program; empty takes the system one, then the one that the npm package carries')
  @IsOptional()
  @IsString()
  ffprobePath?: string;

  @Setting('Frames looked at per second of video (the paper uses 1)', { kind: 'number' })
  @IsNumber()
  @Min(0.1)
  @Max(30)
  sampleFps = 1;

  @Setting('Longest side to which frames are scaled down, in pixels', { kind: 'number' })
  @IsInt()
  @Min(160)
  @Max(1920)
  frameMaxSide = 640;

  @Setting('Largest video, in bytes', { kind: 'number' })
  @IsInt()
  @Min(1024)
  videoMaxBytes = 268_435_456;

  @Setting('Longest video, in seconds', { kind: 'number' })
  @IsNumber()
  @Min(1)
  videoMaxSeconds = 7200;

  @Setting('Most pixels in a frame of a video or an image', { kind: 'number' })
  @IsInt()
  @Min(4096)
  frameMaxPixels = 33_177_600;

  @Setting('Longest time that decoding one video may take, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(1000)
  decodeTimeoutMs = 600_000;

  @Setting('Threads that FFmpeg may use for one video', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(64)
  decodeThreads = 1;

  @Setting('Most images in `frames` of one question', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(1024)
  framesMaxCount = 64;

  @Setting('Largest single image in `frames`, in bytes', { kind: 'number' })
  @IsInt()
  @Min(1024)
  frameMaxBytes = 8_388_608;

  @Setting('Longest time that fetching a `video_url` may take, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(1000)
  videoDownloadTimeoutMs = 60_000;

  @Setting('Allow `video_url` to reach private and loopback addresses', { kind: 'boolean' })
  @IsBoolean()
  allowPrivateVideoUrls = false;

  // Keyframes
  @Setting('A frame is kept when its view overlaps the last keyframe by less than this share', {
    kind: 'number',
  })
  @IsNumber()
  @Min(0)
  @Max(1)
  keyframeOverlapThreshold = 0.5;

  @Setting('A keyframe is forced after this long without one, in milliseconds', { kind: 'number' })
  @IsInt()
  @Min(100)
  keyframeMaxGapMs = 10_000;

  @Setting('Fewest keyframes of a finished video', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(64)
  keyframeMin = 4;

  @Setting('Most keyframes of a finished video', { kind: 'number' })
  @IsInt()
  @Min(2)
  @Max(256)
  keyframeMax = 32;

  @Setting('Worker threads that select keyframes', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(64)
  keyframeWorkers = 2;

  @Setting('JPEG quality of stored keyframes', { kind: 'number' })
  @IsInt()
  @Min(30)
  @Max(100)
  keyframeJpegQuality = 85;

  // Perception
  @Setting(
    'What turns keyframes into text: `local` (detector and geometry on this machine) or `openai` (a vision-language model)',
  )
  @IsIn(['local', 'openai'])
  perceiver = 'local';

  @Setting('Horizontal field of view of the camera, in degrees; turns are measured with it', {
    kind: 'number',
  })
  @IsNumber()
  @Min(20)
  @Max(150)
  cameraHfovDeg = 75;

  @Setting('ONNX detector to use instead of the one that is converted at the first start')
  @IsOptional()
  @IsString()
  detectorModel?: string;

  @Setting('Lowest score in (0, 1) at which a detected object is told', { kind: 'number' })
  @IsNumber()
  @Min(0.05)
  @Max(0.95)
  detectorMinScore = 0.3;

  @Setting('OpenAI-compatible server of the vision-language model, such as http://gpu:8000/v1')
  @ValidateIf((settings: Settings) => settings.perceiver === 'openai' || settings.vlmBaseUrl !== undefined)
  @IsUrl(url, {
    message:
      'VLM_BASE_URL must be an http(s) address such as http://127.0.0.1:8000/v1 (needed when PERCEIVER=openai)',
  })
  vlmBaseUrl?: string;

  @Setting('Name of the vision-language model on that server')
  @IsString()
  vlmModel = 'Qwen/Qwen2.5-VL-72B-Instruct';

  @Setting('Key for that server', { secret: true })
  @IsOptional()
  @IsString()
  vlmApiKey?: string;

  @Setting(
    'Look at each keyframe again for the things a question names, as the paper does: one more call for each keyframe and question',
    { kind: 'boolean' },
  )
  @IsBoolean()
  vlmQuestionPass = true;

  @Setting('Keyframe pairs that are perceived at the same time', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(256)
  perceptionConcurrency = 4;

  @Setting(
    'Longest time that perceiving one pair may take once it has its turn, retries included, in milliseconds',
    {
      kind: 'number',
    },
  )
  @IsInt()
  @Min(100)
  perceptionTimeoutMs = 60_000;

  // Language model
  @Setting('What runs the small language model: `onnx` (this process) or `openai` (a server such as vLLM)')
  @IsIn(['onnx', 'openai'])
  lmBackend = 'onnx';

  @Setting('Model: a Hugging Face folder for `onnx`, a model name for `openai`')
  @IsString()
  @MinLength(1)
  lmModel = 'models/tiny';

  @Setting('OpenAI-compatible server of the small language model')
  @ValidateIf((settings: Settings) => settings.lmBackend === 'openai' || settings.lmBaseUrl !== undefined)
  @IsUrl(url, {
    message:
      'LM_BASE_URL must be an http(s) address such as http://127.0.0.1:8000/v1 (needed when LM_BACKEND=openai)',
  })
  lmBaseUrl?: string;

  @Setting('Key for that server', { secret: true })
  @IsOptional()
  @IsString()
  lmApiKey?: string;

  @Setting('Tokens of prompt and completion together that the model on that server takes', { kind: 'number' })
  @IsInt()
  @Min(512)
  lmContextLength = 8192;

  @Setting('Threads that the `onnx` language model may use', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(128)
  lmThreads = 2;

  @Setting('Where the `onnx` language model runs: `cpu`, or `cuda` (the CUDA image has what that needs)')
  @IsIn(['cpu', 'cuda'])
  lmDevice: 'cpu' | 'cuda' = 'cpu';

  @Setting('Most tokens of one answer, thinking included', { kind: 'number' })
  @IsInt()
  @Min(8)
  @Max(32_768)
  lmMaxTokens = 768;

  @Setting('Sampling temperature of answers; 0 is greedy (the paper)', { kind: 'number' })
  @IsNumber()
  @Min(0)
  @Max(2)
  lmTemperature = 0;

  @Setting('Nucleus sampling share of answers; 1 is off', { kind: 'number' })
  @IsNumber()
  @Min(0.01)
  @Max(1)
  lmTopP = 1;

  @Setting(
    'Most lines of observations that the model is given; more are folded. Empty: 32, and 12 for models with a context below 4096 tokens, as the shipped one',
    { kind: 'number' },
  )
  @IsOptional()
  @IsInt()
  @Min(4)
  @Max(256)
  promptMaxFrames?: number;

  @Setting('Completions that are generated at the same time', { kind: 'number' })
  @IsInt()
  @Min(1)
  @Max(512)
  lmConcurrency = 16;
}

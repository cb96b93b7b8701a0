import { NestFactory } from '@nestjs/core';
import { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import { Settings } from './config/settings.js';
import { SaccadeError } from './errors/saccade-error.js';
import { tunePictureLibrary } from './frames/picture-library.js';
import { serveDocs } from './http/docs.js';
import { identifyRequest } from './observability/request-id.js';
import { CLIENT_MESSAGES } from './stream/asyncapi.js';
import { StreamAdapter } from './stream/stream-adapter.js';

export interface RunningServer {
  /** Such as `http://127.0.0.1:3000`. */
  url: string;
  close: () => Promise<void>;
}

/** Starts the api with the given settings; resolves once it serves. */
export async function startServer(settings: Settings): Promise<RunningServer> {
  tunePictureLibrary();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings), {
    logger: false, // until ours is there; what stops the start is told once, by the caller
    bodyParser: false,
    abortOnError: false,
  });
  const logger = app.get(Logger);
  app.useLogger(logger);
  app.use(identifyRequest);
  app.useBodyParser('json', { limit: settings.jsonMaxBytes });
  // Twice the limit, so that a picture somewhat too large gets an error that names it, and not just a closed connection.
  const maxMessageBytes = 2 * settings.streamFrameMaxBytes;
  app.useWebSocketAdapter(new StreamAdapter(app, { maxMessageBytes }, new Set(Object.keys(CLIENT_MESSAGES))));
  app.disable('x-powered-by');
  app.enableShutdownHooks();
  serveDocs(app);
  await listen(app, settings);
  const url = await app.getUrl();
  logger.log(`Saccade serves on ${url} and documents itself on ${url}/docs`);
  return { url, close: () => app.close() };
}

/** A port that is taken is the operator's to mend, so it is told in one line. */
async function listen(app: NestExpressApplication, { host, port }: Settings): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    await app.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new SaccadeError(
      'conflict',
      'port_taken',
      `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to another one.`,
      { field: 'PORT', cause: error },
    );
  }
}

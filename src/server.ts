import { NestFactory } from '@nestjs/core';
import { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import { Settings } from './config/settings.js';
import { serveDocs } from './http/docs.js';
import { identifyRequest } from './observability/request-id.js';

export interface RunningServer {
  /** Such as `http://127.0.0.1:3000`. */
  url: string;
  close: () => Promise<void>;
}

/** Starts the api with the given settings; resolves once it serves. */
export async function startServer(settings: Settings): Promise<RunningServer> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings), {
    bufferLogs: true,
    bodyParser: false,
    abortOnError: false,
  });
  const logger = app.get(Logger);
  app.useLogger(logger);
  app.use(identifyRequest);
  app.useBodyParser('json', { limit: settings.jsonMaxBytes });
  app.disable('x-powered-by');
  app.enableShutdownHooks();
  serveDocs(app);
  await app.listen(settings.port, settings.host);
  const url = await app.getUrl();
  logger.log(`Saccade serves on ${url} and documents itself on ${url}/docs`);
  return { url, close: () => app.close() };
}

import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { Settings } from '../config/settings.js';

const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** Structured logs; every request carries an id, the caller's own when it sends a sane `X-Request-Id`. */
@Module({
  imports: [
    LoggerModule.forRootAsync({
      inject: [Settings],
      useFactory: (settings: Settings) => ({
        pinoHttp: {
          level: settings.logLevel,
          genReqId: (request, response) => {
            const given = request.headers['x-request-id'];
            const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
            response.setHeader('X-Request-Id', id);
            return id;
          },
          // Bodies and headers stay out of the logs: they hold keys and pictures of people's homes.
          serializers: {
            req: (request: { id: string; method: string; url: string }) => ({
              id: request.id,
              method: request.method,
              url: request.url,
            }),
            res: (response: { statusCode: number }) => ({ status: response.statusCode }),
          },
        },
      }),
    }),
  ],
})
export class LoggingModule {}

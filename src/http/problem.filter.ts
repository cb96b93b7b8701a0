import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PinoLogger } from 'nestjs-pino';
import { SaccadeError } from '../errors/saccade-error.js';
import { Problem, toProblem } from './problem.js';

const RETRY_AFTER_S = 2;

/** The one place where errors become HTTP: problem JSON, or the last event of a stream that has begun. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: PinoLogger) {
    this.logger.setContext(ProblemFilter.name);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request & { id?: string }>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = toProblem(fromBodyParser(unwrapped(error)), request.id);
    if (problem.status >= 500)
      this.logger.error({ err: error, request_id: request.id, code: problem.code }, 'request failed');
    if (response.headersSent) {
      response.end();
      return;
    }
    writeProblem(response, problem);
  }
}

export function writeProblem(response: Response, problem: Problem): void {
  if (problem.status === 503) response.setHeader('Retry-After', RETRY_AFTER_S);
  response.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

/** Nest wraps what the body parser throws, which tells more. */
function unwrapped(error: unknown): unknown {
  return error instanceof HttpException && error.cause instanceof Error ? error.cause : error;
}

/** Express' body parser throws plain errors that carry a type. */
function fromBodyParser(error: unknown): unknown {
  if (!(error instanceof Error) || !('type' in error)) return error;
  if (error.type === 'entity.parse.failed') {
    return new SaccadeError('input', 'invalid_json', `The body is not valid JSON: ${error.message}.`);
  }
  if (error.type === 'entity.too.large') {
    const limit = 'limit' in error ? Number(error.limit) : undefined;
    return new SaccadeError(
      'too_large',
      'body_too_large',
      `The body is larger than ${limit} bytes. Send a video as multipart/form-data instead.`,
      { limit },
    );
  }
  return error;
}

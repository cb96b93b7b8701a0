import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { writeProblem } from '../http/problem.filter.js';
import { toProblem } from '../http/problem.js';
import { validated } from '../http/validation.js';
import { AnswerDto } from './dto/answer.dto.js';
import { ReasonDto, ReasonFormDto } from './dto/reason.dto.js';
import { ReasonEvent } from './reason-events.js';
import { ReasonService } from './reason.service.js';
import { RequestReader } from './request-reader.js';
import { openEventStream } from './event-stream.js';

@ApiTags('reason')
@Controller('reason')
export class ReasonController {
  constructor(
    private readonly reasonService: ReasonService,
    private readonly reader: RequestReader,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ask a spatial question about a video',
    description:
      'Send the video as multipart/form-data (field `video`), or JSON with `video_url`, `frames` or the `session_id` of a live or finished session. ' +
      'With `stream` the reply is text/event-stream: `keyframe`, `percept`, `answer.delta`, then `answer` or `error`. ' +
      'Closing the connection stops the work.',
  })
  @ApiConsumes('multipart/form-data', 'application/json')
  @ApiBody({ type: ReasonFormDto })
  @ApiProduces('application/json', 'text/event-stream', 'application/problem+json')
  @ApiOkResponse({ type: AnswerDto })
  async reason(@Req() request: Request & { id?: string }, @Res() response: Response): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const received = await this.reader.read(request, gone.signal);
    try {
      const dto = validated(ReasonDto, received.body);
      const question = this.reader.question(dto, received);
      if (dto.stream !== true) {
        response.json(await this.reasonService.reason(question, gone.signal, () => undefined));
        return;
      }
      await this.stream(request.id, response, (tell) =>
        this.reasonService.reason(question, gone.signal, tell),
      );
    } finally {
      await received.remove();
    }
  }

  /** The headers go out with the first event, so that an early error still is a problem with its own status. */
  private async stream(
    requestId: string | undefined,
    response: Response,
    work: (tell: (event: ReasonEvent) => void) => Promise<unknown>,
  ): Promise<void> {
    const events = openEventStream(response);
    try {
      await work((event) => events.send(event.event, event.data));
    } catch (error) {
      const problem = toProblem(error, requestId);
      if (!response.headersSent) writeProblem(response, problem);
      else events.send('error', problem);
    } finally {
      events.end();
    }
  }
}

import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { UuidParam } from '../http/uuid-param.js';
import { validated } from '../http/validation.js';
import { viewKeyframe, viewPercept } from '../reason/keyframe-json.js';
import { RequestReader } from '../reason/request-reader.js';
import {
  ReplayDto,
  ReplayFormDto,
  ReplayStartedDto,
  SessionDto,
  SessionListDto,
  SessionQueryDto,
  SessionSummaryDto,
} from './dto/session.dto.js';
import { LiveSessionRepository } from './live/live-session.repository.js';
import { LiveSessions } from './live/live-sessions.js';
import { ReplayService } from './replay.service.js';
import { SessionRepository, SessionSummary } from './session.repository.js';

const KEYFRAMES = 500;

@ApiTags('sessions')
@Controller('sessions')
export class SessionController {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly keyframes: LiveSessionRepository,
    private readonly live: LiveSessions,
    private readonly replays: ReplayService,
    private readonly reader: RequestReader,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Sessions, newest first' })
  @ApiOkResponse({ type: SessionListDto })
  async list(@Query() query: Record<string, unknown>): Promise<SessionListDto> {
    const { state, cursor, limit } = validated(SessionQueryDto, { ...query });
    const rows = await this.sessions.list({ state, cursor, limit });
    return { items: rows.map(viewSession), next_cursor: rows.length === limit ? rows.at(-1)!.id : null };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One session with what was seen' })
  @ApiOkResponse({ type: SessionDto })
  async find(@Param('id', UuidParam) id: string): Promise<SessionDto> {
    const session = await this.sessions.find(id);
    const rows = await this.keyframes.newest(id, KEYFRAMES);
    return {
      ...viewSession(session),
      keyframes: rows.map(viewKeyframe),
      percepts: rows.map((row) => viewPercept(row.id, { percept: row.percept, cached: false }, null)),
    };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a session with its data',
    description: 'Keyframes, questions and trajectories go, and percepts that no other session shares.',
  })
  @ApiNoContentResponse()
  async delete(@Param('id', UuidParam) id: string): Promise<void> {
    await this.live.abandon(id);
    await this.sessions.delete(id);
  }

  @Post('replay')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Play a video into a new session',
    description: 'As if a camera streamed it, at `speed` times real time. Follow it over WS /stream.',
  })
  @ApiConsumes('multipart/form-data', 'application/json')
  @ApiBody({ type: ReplayFormDto })
  @ApiAcceptedResponse({ type: ReplayStartedDto })
  async replay(@Req() request: Request, @Res() response: Response): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const received = await this.reader.read(request, gone.signal);
    try {
      const dto = validated(ReplayDto, received.body);
      const { open } = this.reader.video(dto, received);
      const sessionId = await this.replays.start(open, dto.speed, received.remove);
      response.json({ session_id: sessionId, speed: dto.speed } satisfies ReplayStartedDto);
    } catch (error) {
      await received.remove();
      throw error;
    }
  }
}

function viewSession({
  id,
  source,
  state,
  durationMs,
  frameCount,
  warnings,
  createdAt,
  endedAt,
  _count: counts,
}: SessionSummary): SessionSummaryDto {
  return {
    id,
    source,
    state,
    duration_ms: durationMs,
    frame_count: frameCount,
    keyframe_count: counts.keyframes,
    question_count: counts.questions,
    warnings,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

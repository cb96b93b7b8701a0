import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../http/uuid-param.js';
import { validated } from '../http/validation.js';
import { TrajectoryDto, TrajectoryListDto, TrajectoryQueryDto } from './dto/trajectory.dto.js';
import { viewSummary, viewWhole } from './trajectory-view.js';
import { TrajectoryRepository } from './trajectory.repository.js';

@ApiTags('trajectories')
@Controller('trajectories')
export class TrajectoryController {
  constructor(private readonly trajectories: TrajectoryRepository) {}

  @Get()
  @ApiOperation({ summary: 'Answered questions, newest first' })
  @ApiOkResponse({ type: TrajectoryListDto })
  async list(@Query() query: Record<string, unknown>): Promise<TrajectoryListDto> {
    const {
      session_id: sessionId,
      policy_version: policyVersion,
      cursor,
      limit,
    } = validated(TrajectoryQueryDto, { ...query });
    const rows = await this.trajectories.list({ sessionId, policyVersion, cursor, limit });
    return { items: rows.map(viewSummary), next_cursor: rows.length === limit ? rows.at(-1)!.id : null };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One answered question with everything that training needs' })
  @ApiOkResponse({ type: TrajectoryDto })
  async find(@Param('id', UuidParam) id: string): Promise<TrajectoryDto> {
    return viewWhole(await this.trajectories.find(id));
  }
}

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { UuidParam } from '../http/uuid-param.js';
import { SessionRepository } from './session.repository.js';

@ApiTags('keyframes')
@Controller('keyframes')
export class KeyframeController {
  constructor(private readonly sessions: SessionRepository) {}

  @Get(':id/image')
  @ApiOperation({ summary: 'The picture of a keyframe' })
  @ApiProduces('image/jpeg')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async image(
    @Param('id', UuidParam) id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { jpeg, contentHash } = await this.sessions.keyframeImage(id);
    // A keyframe never changes, so a browser may keep it.
    const etag = `"${contentHash}"`;
    response.set({ 'Cache-Control': 'private, max-age=31536000, immutable', ETag: etag });
    if (request.get('If-None-Match') === etag) response.status(304).end();
    else response.type('image/jpeg').send(Buffer.from(jpeg));
  }
}

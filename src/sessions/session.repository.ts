import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import { SaccadeError } from '../errors/saccade-error.js';

/** A stored keyframe picture. */
export interface StoredImage {
  jpeg: Uint8Array;
  contentHash: string;
}

@Injectable()
export class SessionRepository {
  constructor(private readonly database: DatabaseService) {}

  /** @throws SaccadeError not_found */
  async keyframeImage(id: string): Promise<StoredImage> {
    const found = await this.database.prisma.keyframe.findUnique({
      where: { id },
      select: { jpeg: true, contentHash: true },
    });
    if (found === null)
      throw new SaccadeError('not_found', 'no_such_keyframe', `There is no keyframe ${id}.`, { field: 'id' });
    return found;
  }
}

import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { DatabaseService } from '../database/database.service.js';
import { LoadedPolicy } from '../lm/loaded-policy.js';

@Injectable()
export class PolicyRepository {
  constructor(private readonly database: DatabaseService) {}

  /** Row id of the policy that serves; made at its first start. */
  async ensure({ name, location, sha256 }: LoadedPolicy): Promise<string> {
    const { id } = await this.database.prisma.policyVersion.upsert({
      where: { name },
      create: { id: uuidv7(), name, location, sha256, state: 'active' },
      update: {},
      select: { id: true },
    });
    return id;
  }
}

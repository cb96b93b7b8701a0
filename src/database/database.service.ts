import { Injectable, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { PinoLogger } from 'nestjs-pino';
import { Settings } from '../config/settings.js';
import { APPLICATION_NAME, EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { PrismaClient } from './generated/client.js';
import { migrate } from './migrate.js';

/**
 * The database of the process: the given one or the embedded one, migrated, with a Prisma client.
 * Only repositories use the client.
 */
@Injectable()
export class DatabaseService implements OnModuleInit, OnModuleDestroy {
  private embedded: EmbeddedPostgres | null = null;
  private client: PrismaClient | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly logger: PinoLogger,
  ) {
    this.logger.setContext(DatabaseService.name);
  }

  async onModuleInit(): Promise<void> {
    const url = this.settings.databaseUrl ?? (await this.startEmbedded());
    const report = await migrate(url);
    if (report.applied.length > 0) this.logger.info({ migrations: report.applied }, 'migrations applied');
    this.client = new PrismaClient({
      adapter: new PrismaPg({ connectionString: url, application_name: APPLICATION_NAME }),
    });
    await this.client.$connect();
  }

  async onModuleDestroy(): Promise<void> {
    await this.client?.$disconnect();
    this.client = null;
    await this.embedded?.stop();
  }

  /** @throws Error before the module is initialised */
  get prisma(): PrismaClient {
    if (this.client === null) throw new Error('The database is not connected.');
    return this.client;
  }

  /** Round trip to the server; rejects when it cannot be reached. */
  async ping(): Promise<void> {
    await this.prisma.$queryRaw`SELECT 1`;
  }

  private async startEmbedded(): Promise<string> {
    this.embedded = new EmbeddedPostgres({ dataDir: this.settings.saccadeDataDir });
    const started = performance.now();
    const url = await this.embedded.start();
    this.logger.info({ ms: Math.round(performance.now() - started) }, 'embedded PostgreSQL ready');
    return url;
  }
}

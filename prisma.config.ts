import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Only the Prisma command line reads this; the server applies migrations by itself at start.
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://localhost:5432/saccade' },
});

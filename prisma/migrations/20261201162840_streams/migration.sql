-- CreateEnum
CREATE TYPE "session_state" AS ENUM ('live', 'finished');

-- AlterEnum
-- This migration adds more than one value to an enum.
-- With PostgreSQL versions 11 and earlier, this is not possible
-- in a single migration. This can be worked around by creating
-- multiple migrations, each migration adding only one value to
-- the enum.


ALTER TYPE "video_source" ADD VALUE 'stream';
ALTER TYPE "video_source" ADD VALUE 'replay';

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "ended_at" TIMESTAMPTZ(3),
ADD COLUMN     "start_timestamp_us" BIGINT,
ADD COLUMN     "state" "session_state" NOT NULL DEFAULT 'finished';

-- AlterTable
ALTER TABLE "keyframes" ADD COLUMN     "sequence" BIGINT;

-- AlterTable
ALTER TABLE "percepts" ADD COLUMN     "content_hash" TEXT;

-- AlterTable
ALTER TABLE "trajectories" ADD COLUMN     "confidence" DOUBLE PRECISION,
ADD COLUMN     "evidence" UUID[];

-- CreateIndex
CREATE INDEX "sessions_state_id_idx" ON "sessions"("state", "id");

-- CreateIndex
CREATE INDEX "keyframes_content_hash_idx" ON "keyframes"("content_hash");

-- CreateIndex
CREATE INDEX "percepts_content_hash_idx" ON "percepts"("content_hash");

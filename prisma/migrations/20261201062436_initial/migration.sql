-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "video_source" AS ENUM ('upload', 'url', 'frames');

-- CreateEnum
CREATE TYPE "answer_type" AS ENUM ('choice', 'number', 'text');

-- CreateEnum
CREATE TYPE "policy_state" AS ENUM ('candidate', 'active', 'canary', 'retired', 'rejected');

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "source" "video_source" NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "frame_count" INTEGER NOT NULL,
    "warnings" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "keyframes" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "frame_index" INTEGER NOT NULL,
    "timestamp_ms" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "content_hash" TEXT NOT NULL,
    "jpeg" BYTEA NOT NULL,
    "reason" TEXT NOT NULL,
    "overlap_ratio" DOUBLE PRECISION,
    "match_count" INTEGER NOT NULL,
    "inlier_count" INTEGER NOT NULL,
    "percept_id" UUID,

    CONSTRAINT "keyframes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "percepts" (
    "id" UUID NOT NULL,
    "cache_key" TEXT NOT NULL,
    "perceiver" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "prompt_tokens" INTEGER NOT NULL,
    "completion_tokens" INTEGER NOT NULL,
    "calls" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "percepts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "questions" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "options" TEXT[],
    "answer_type" "answer_type" NOT NULL,
    "ground_truth" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "questions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "trajectories" (
    "id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "policy_version_id" UUID NOT NULL,
    "prompt" JSONB NOT NULL,
    "prompt_token_ids" INTEGER[],
    "completion" TEXT NOT NULL,
    "completion_token_ids" INTEGER[],
    "logprobs" DOUBLE PRECISION[],
    "thinking" TEXT NOT NULL,
    "answer" TEXT,
    "finish_reason" TEXT NOT NULL,
    "sampling" JSONB NOT NULL,
    "prompt_tokens" INTEGER NOT NULL,
    "completion_tokens" INTEGER NOT NULL,
    "seen_until_ms" INTEGER NOT NULL,
    "timings_ms" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trajectories_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy_versions" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "parent_id" UUID,
    "location" TEXT NOT NULL,
    "sha256" TEXT,
    "state" "policy_state" NOT NULL,
    "evaluation" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policy_versions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "sessions_created_at_idx" ON "sessions"("created_at");

-- CreateIndex
CREATE INDEX "keyframes_percept_id_idx" ON "keyframes"("percept_id");

-- CreateIndex
CREATE UNIQUE INDEX "keyframes_session_id_index_key" ON "keyframes"("session_id", "index");

-- CreateIndex
CREATE UNIQUE INDEX "percepts_cache_key_key" ON "percepts"("cache_key");

-- CreateIndex
CREATE INDEX "questions_session_id_idx" ON "questions"("session_id");

-- CreateIndex
CREATE INDEX "trajectories_question_id_idx" ON "trajectories"("question_id");

-- CreateIndex
CREATE INDEX "trajectories_policy_version_id_id_idx" ON "trajectories"("policy_version_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "policy_versions_name_key" ON "policy_versions"("name");

-- CreateIndex
CREATE INDEX "policy_versions_parent_id_idx" ON "policy_versions"("parent_id");

-- AddForeignKey
ALTER TABLE "keyframes" ADD CONSTRAINT "keyframes_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "keyframes" ADD CONSTRAINT "keyframes_percept_id_fkey" FOREIGN KEY ("percept_id") REFERENCES "percepts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trajectories" ADD CONSTRAINT "trajectories_question_id_fkey" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trajectories" ADD CONSTRAINT "trajectories_policy_version_id_fkey" FOREIGN KEY ("policy_version_id") REFERENCES "policy_versions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy_versions" ADD CONSTRAINT "policy_versions_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "policy_versions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

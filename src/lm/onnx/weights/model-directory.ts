import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SaccadeError } from '../../../errors/saccade-error.js';
import { DecoderConfig, parseDecoderConfig } from '../models/decoder-config.js';
import { ChatTokenizer } from '../tokenizer/chat-tokenizer.js';
import { TokenizerJson } from '../tokenizer/token-bytes.js';

type Json = Record<string, unknown>;

/** What a Hugging Face directory says about a model, its weights aside. */
export interface ModelDirectory {
  path: string;
  config: DecoderConfig;
  tokenizer: ChatTokenizer;
}

/** Reads `config.json`, `generation_config.json`, the tokenizer's files and the chat template. */
export async function readModelDirectory(path: string): Promise<ModelDirectory> {
  const configJson = await requireJson(path, 'config.json');
  const generationConfig = (await readJson(path, 'generation_config.json')) ?? {};
  const tokenizerJson = (await requireJson(path, 'tokenizer.json')) as unknown as TokenizerJson;
  const tokenizerConfig = await requireJson(path, 'tokenizer_config.json');
  const chatTemplate = (await readText(path, 'chat_template.jinja')) ?? templateOf(tokenizerConfig);
  if (chatTemplate === null)
    throw broken(
      path,
      'has no chat template in chat_template.jinja or tokenizer_config.json; use an instruction-tuned model',
    );
  const endTokenIds = endTokens(configJson, generationConfig, tokenizerConfig, tokenizerJson);
  if (endTokenIds.length === 0)
    throw broken(path, 'names no end token (eos_token_id) in generation_config.json or config.json');
  const tokenizer = new ChatTokenizer({ tokenizerJson, tokenizerConfig, chatTemplate, endTokenIds });
  return { path, config: parseDecoderConfig(configJson), tokenizer };
}

/**
 * Every end token that any of the files names. Chat models often end a turn with one token and a document with
 * another, and the files disagree on which they list.
 */
function endTokens(
  config: Json,
  generation: Json,
  tokenizerConfig: Json,
  tokenizer: TokenizerJson,
): number[] {
  const ids = new Set<number>();
  for (const value of [generation.eos_token_id, config.eos_token_id].flat())
    if (typeof value === 'number' && Number.isSafeInteger(value)) ids.add(value);
  const named = tokenizerConfig.eos_token;
  const spelling = typeof named === 'object' && named !== null && 'content' in named ? named.content : named;
  const token = tokenizer.added_tokens?.find((added) => added.content === spelling);
  if (token) ids.add(token.id);
  return [...ids];
}

/** The template itself, or the one called `default` where a model ships several. */
function templateOf(tokenizerConfig: Json): string | null {
  const { chat_template: template } = tokenizerConfig;
  if (typeof template === 'string') return template;
  if (!Array.isArray(template)) return null;
  const named = (template as { name?: unknown; template?: unknown }[]).find((t) => t?.name === 'default');
  return typeof named?.template === 'string' ? named.template : null;
}

function broken(path: string, problem: string, cause?: unknown): SaccadeError {
  return new SaccadeError(
    'unprocessable',
    'model_directory_broken',
    `The model directory ${path} ${problem}.`,
    { cause },
  );
}

async function readText(path: string, name: string): Promise<string | null> {
  try {
    return await readFile(join(path, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw broken(path, `has a ${name} that cannot be read`, error);
  }
}

async function readJson(path: string, name: string): Promise<Json | null> {
  const text = await readText(path, name);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch (error) {
    throw broken(path, `has a ${name} that is not JSON`, error);
  }
  throw broken(path, `has a ${name} that is not a JSON object`);
}

async function requireJson(path: string, name: string): Promise<Json> {
  const json = await readJson(path, name);
  if (json === null)
    throw broken(
      path,
      `lacks ${name}; it needs config.json, tokenizer.json, tokenizer_config.json and *.safetensors`,
    );
  return json;
}

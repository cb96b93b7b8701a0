import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { Weights } from '../../src/lm/onnx/models/weights.js';
import { writeSafetensors } from '../../src/lm/onnx/weights/safetensors-writer.js';
import { TrainedBpe, WORD_PATTERN } from './train-bpe.js';

/** Control tokens of the chat form, then the tags of the answer, which are ordinary text for every reader. */
const CONTROL_TOKENS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const TAG_TOKENS = ['<think>', '</think>', '<answer>', '</answer>'];
export const ADDED_TOKENS = [...CONTROL_TOKENS, ...TAG_TOKENS];

const CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** The folder without its weights: what a Hugging Face loader needs to read text and shape. */
export async function writeModelFiles(
  directory: string,
  config: DecoderConfig,
  bpe: TrainedBpe,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFile(join(directory, name), `${JSON.stringify(content, null, 1)}\n`);
  const idOf = (token: string) => bpe.tokens.length + ADDED_TOKENS.indexOf(token);
  await write('config.json', {
    architectures: ['Qwen3ForCausalLM'],
    model_type: 'qwen3',
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    rope_theta: config.ropeTheta,
    rms_norm_eps: config.rmsEpsilon,
    tie_word_embeddings: config.tiedHead,
    attention_bias: config.qkvBias,
    attention_dropout: 0,
    hidden_act: 'silu',
    initializer_range: 0.02,
    torch_dtype: 'float32',
    use_cache: true,
    use_sliding_window: false,
    bos_token_id: null,
    eos_token_id: idOf('<|im_end|>'),
  });
  await write('generation_config.json', {
    eos_token_id: [idOf('<|im_end|>'), idOf('<|endoftext|>')],
    pad_token_id: idOf('<|endoftext|>'),
    do_sample: false,
  });
  await write('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    eos_token: '<|im_end|>',
    pad_token: '<|endoftext|>',
    model_max_length: config.maxPositions,
    clean_up_tokenization_spaces: false,
    chat_template: CHAT_TEMPLATE,
  });
  await write('tokenizer.json', tokenizerJson(bpe));
}

export async function writeModelWeights(directory: string, weights: Weights): Promise<void> {
  await writeSafetensors(join(directory, 'model.safetensors'), weights, { format: 'F32' });
}

function tokenizerJson({ tokens, merges }: TrainedBpe): unknown {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: ADDED_TOKENS.map((content, i) => ({
      id: tokens.length + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: CONTROL_TOKENS.includes(content),
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: WORD_PATTERN }, behavior: 'Isolated', invert: false },
        byteLevel,
      ],
    },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}

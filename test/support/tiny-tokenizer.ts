/** 256 bytes, 3 control tokens, 4 tags that are added but not control tokens, and the merged words. */
const CONTROL = ['<|endoftext|>', '<|im_end|>', '<|im_start|>'];
const TAGS = ['<think>', '</think>', '<answer>', '</answer>'];
const WORDS = ['left', 'right', ' the', ' chair'];

/** GPT-2's alphabet: printable bytes as themselves, the others from U+0100 on. */
function byteAlphabet(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
}

/** Merges that build each word from left to right, and the tokens that they make. */
function mergeWords(alphabet: readonly string[]): { merges: string[]; tokens: string[] } {
  const merges = new Set<string>();
  const tokens = new Set<string>();
  for (const word of WORDS) {
    const [first, ...rest] = [...Buffer.from(word)].map((byte) => alphabet[byte]);
    let made = first;
    for (const character of rest) {
      merges.add(`${made} ${character}`);
      made += character;
      tokens.add(made);
    }
  }
  return { merges: [...merges], tokens: [...tokens] };
}

const alphabet = byteAlphabet();
const { merges, tokens: merged } = mergeWords(alphabet);
const FIRST_MERGED = 256 + CONTROL.length + TAGS.length;

export const TINY_VOCABULARY = FIRST_MERGED + merged.length;

/** A byte-level BPE tokenizer.json of the shape that Qwen ships. */
export function tinyTokenizer(): Record<string, unknown> {
  const vocab: Record<string, number> = {};
  alphabet.forEach((character, byte) => (vocab[character] = byte));
  merged.forEach((token, i) => (vocab[token] = FIRST_MERGED + i));
  const added = [...CONTROL, ...TAGS].map((content, i) => ({
    id: 256 + i,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: i < CONTROL.length,
  }));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: { type: 'NFC' },
    pre_tokenizer: byteLevel,
    post_processor: byteLevel,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab,
      merges,
    },
  };
}

export const tinyTokenizerConfig = {
  tokenizer_class: 'Qwen2Tokenizer',
  eos_token: '<|im_end|>',
  pad_token: '<|endoftext|>',
  bos_token: null,
  chat_template:
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
};

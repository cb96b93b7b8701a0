import { Tokenizer } from '@huggingface/tokenizers';
import { ChatMessage } from '../../language-model.js';
import { ChatTemplate } from './chat-template.js';
import { IncrementalDetokenizer } from './incremental-detokenizer.js';
import { bytesOfToken, spellingOf, TokenizerJson, TokenSpelling } from './token-bytes.js';

export interface ChatTokenizerOptions {
  tokenizerJson: TokenizerJson;
  /** `tokenizer_config.json`. */
  tokenizerConfig: Readonly<Record<string, unknown>>;
  /** Jinja source of the chat template. */
  chatTemplate: string;
  /** Every token that ends a completion. */
  endTokenIds: readonly number[];
}

const NO_BYTES = new Uint8Array(0);

/** Text to token ids and back, as the model was trained to see them. */
export class ChatTokenizer {
  readonly endTokenIds: ReadonlySet<number>;
  private readonly tokenizer: Tokenizer;
  private readonly template: ChatTemplate;
  private readonly spelling: TokenSpelling;
  private readonly addedTokens: ReadonlyMap<number, string>;
  private readonly controlTokens: ReadonlyMap<number, string>;
  private readonly bytes = new Map<number, Uint8Array>();
  private literalTokenizer: Tokenizer | null = null;

  constructor(private readonly options: ChatTokenizerOptions) {
    const { tokenizerJson, tokenizerConfig, endTokenIds } = options;
    this.spelling = spellingOf(tokenizerJson.decoder);
    this.endTokenIds = new Set(endTokenIds);
    const added = tokenizerJson.added_tokens ?? [];
    this.addedTokens = new Map(added.map((token) => [token.id, token.content]));
    this.controlTokens = new Map(
      added
        .filter((token) => token.special === true || this.endTokenIds.has(token.id))
        .map((token) => [token.id, token.content]),
    );
    this.tokenizer = new Tokenizer(this.withExactControlTokens(), tokenizerConfig);
    this.template = new ChatTemplate({
      source: options.chatTemplate,
      controlTokens: [...this.controlTokens.values()],
      variables: namedTokens(tokenizerConfig),
    });
  }

  /** Prompt of a conversation, up to the opening of the assistant's turn. */
  encodeChat(messages: readonly ChatMessage[]): number[] {
    return this.template.render(messages).flatMap(({ text, literal }) => this.encode(text, literal));
  }

  /** Text as it stands, control tokens included; for text that we wrote ourselves. */
  encodeText(text: string): number[] {
    return this.encode(text, false);
  }

  /** Id of a token by its spelling, or undefined. */
  idOf(token: string): number | undefined {
    return this.tokenizer.token_to_id(token);
  }

  /** Text of tokens, control tokens left out. */
  decode(tokenIds: readonly number[]): string {
    const detokenizer = this.createDetokenizer();
    return tokenIds.map((id) => detokenizer.push(id)).join('') + detokenizer.flush();
  }

  createDetokenizer(): IncrementalDetokenizer {
    return new IncrementalDetokenizer((id) => this.bytesOf(id));
  }

  private encode(text: string, literal: boolean): number[] {
    if (text.length === 0) return [];
    const tokenizer = literal ? (this.literalTokenizer ??= this.createLiteralTokenizer()) : this.tokenizer;
    return tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  private bytesOf(tokenId: number): Uint8Array {
    let bytes = this.bytes.get(tokenId);
    if (bytes === undefined) {
      bytes = this.spell(tokenId);
      this.bytes.set(tokenId, bytes);
    }
    return bytes;
  }

  private spell(tokenId: number): Uint8Array {
    if (this.controlTokens.has(tokenId)) return NO_BYTES;
    const added = this.addedTokens.get(tokenId);
    if (added !== undefined) return new TextEncoder().encode(added);
    const token = this.tokenizer.id_to_token(tokenId);
    // Models pad their vocabulary beyond the tokenizer's; such an id has no text.
    return token === undefined ? NO_BYTES : bytesOfToken(token, this.spelling);
  }

  /** Control tokens match their exact spelling only, never one that a normaliser maps to it, or the guard could be passed. */
  private withExactControlTokens(): TokenizerJson {
    const { tokenizerJson } = this.options;
    const added = (tokenizerJson.added_tokens ?? []).map((token) =>
      this.controlTokens.has(token.id) ? { ...token, normalized: false } : token,
    );
    return { ...tokenizerJson, added_tokens: added };
  }

  /** Knows no added token, nor the control tokens as words; made on first need, since a large vocabulary takes a while. */
  private createLiteralTokenizer(): Tokenizer {
    const { tokenizerJson, tokenizerConfig } = this.options;
    const control = new Set(this.controlTokens.values());
    const { vocab } = tokenizerJson.model;
    const isMap = typeof vocab === 'object' && vocab !== null && !Array.isArray(vocab);
    const ordinary = isMap
      ? Object.fromEntries(Object.entries(vocab).filter(([token]) => !control.has(token)))
      : vocab;
    return new Tokenizer(
      { ...tokenizerJson, added_tokens: [], model: { ...tokenizerJson.model, vocab: ordinary } },
      tokenizerConfig,
    );
  }
}

/** `bos_token` and its like from `tokenizer_config.json`, where a token is a text or an object that holds it. */
function namedTokens(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!name.endsWith('_token')) continue;
    const content = typeof value === 'object' && value !== null && 'content' in value ? value.content : value;
    if (typeof content === 'string') named[name] = content;
  }
  return named;
}

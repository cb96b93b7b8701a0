/**
 * Turns sampled tokens into text as they come. A character whose bytes are spread over tokens is held back until it
 * is whole, so no piece ends in half a character, and the pieces joined are the text of all tokens.
 */
export class IncrementalDetokenizer {
  // Ignoring the byte order mark would drop a U+FEFF that the model wrote.
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** @param bytesOf bytes of a token; empty for control tokens, which have no text */
  constructor(private readonly bytesOf: (tokenId: number) => Uint8Array) {}

  /** The characters that `tokenId` completes; often all of its own, sometimes none. */
  push(tokenId: number): string {
    return this.decoder.decode(this.bytesOf(tokenId), { stream: true });
  }

  /** What is left at the end: a character cut short becomes U+FFFD. */
  flush(): string {
    return this.decoder.decode();
  }
}

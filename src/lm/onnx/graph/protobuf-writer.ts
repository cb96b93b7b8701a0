/**
 * The part of the Protocol Buffers wire format that ONNX needs. Chunks are kept apart until the end, so that the
 * weights inside nested messages are copied once.
 */
export class ProtobufWriter {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  /** Enumerations and integers; negative ones as 64-bit two's complement. */
  integer(field: number, value: number | bigint): this {
    return this.append(varint((field << 3) | 0)).append(varint(BigInt.asUintN(64, BigInt(value))));
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.append(varint((field << 3) | 5)).append(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.append(varint((field << 3) | 2))
      .append(varint(value.length))
      .append(value);
  }

  message(field: number, value: ProtobufWriter): this {
    this.append(varint((field << 3) | 2)).append(varint(value.length));
    for (const chunk of value.chunks) this.append(chunk);
    return this;
  }

  finish(): Uint8Array {
    const all = new Uint8Array(this.length);
    let offset = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, offset);
      offset += chunk.length;
    }
    return all;
  }

  private append(chunk: Uint8Array): this {
    this.chunks.push(chunk);
    this.length += chunk.length;
    return this;
  }
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

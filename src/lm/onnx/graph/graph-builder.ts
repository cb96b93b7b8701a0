import { ProtobufWriter } from './protobuf-writer.js';

/** A tensor inside the graph, by name. */
export interface Tensor {
  readonly name: string;
}

export type ElementType = 'float32' | 'uint8' | 'int32' | 'int64' | 'bool' | 'float16';

/** A fixed size, or the name of one that is known when the graph runs. */
export type Dimension = number | string;

export type Attribute =
  number | string | readonly number[] | { float: number } | { floats: readonly number[] };

export interface TensorData {
  dims: readonly number[];
  data: Float32Array | BigInt64Array | Int32Array | Uint8Array | Uint16Array;
}

export interface NodeOptions {
  attributes?: Record<string, Attribute>;
  /** `com.microsoft` for the runtime's own operators. */
  domain?: string;
  outputs?: number;
  /** Name of the first output, for one that the graph hands out. */
  name?: string;
}

// onnx.proto: TensorProto.DataType
const ELEMENT: Record<ElementType, number> = {
  float32: 1,
  uint8: 2,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
};
// onnx.proto: AttributeProto.AttributeType
const ATTRIBUTE = { float: 1, int: 2, string: 3, floats: 6, ints: 7 };

const IR_VERSION = 10;
const OPSET = 21;
const NO_TENSOR: Tensor = { name: '' };

/** Builds an ONNX model node by node and serialises it (onnx.proto, IR version 10, opset 21). */
export class GraphBuilder {
  private readonly nodes: ProtobufWriter[] = [];
  private readonly initializers = new Map<string, ProtobufWriter>();
  private readonly inputs: ProtobufWriter[] = [];
  private readonly outputs: ProtobufWriter[] = [];
  private readonly constants = new Map<string, Tensor>();
  private readonly read = new Set<string>();
  private counter = 0;

  constructor(private readonly name: string) {}

  input(name: string, type: ElementType, dims: readonly Dimension[]): Tensor {
    this.inputs.push(valueInfo(name, type, dims));
    return { name };
  }

  /** Gives a tensor a name that callers can ask for; renaming one that is read elsewhere too costs a copy. */
  output(name: string, tensor: Tensor, type: ElementType, dims: readonly Dimension[]): void {
    if (tensor.name !== name) this.add('Identity', [tensor], [name], {});
    this.outputs.push(valueInfo(name, type, dims));
  }

  /** A tensor stored in the model, unless no operator reads it. */
  initializer(name: string, tensor: TensorData): Tensor {
    const { dims, data } = tensor;
    const proto = new ProtobufWriter();
    for (const dim of dims) proto.integer(1, dim);
    proto.integer(2, elementOf(data)).text(8, name);
    proto.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    this.initializers.set(name, proto);
    return { name };
  }

  /** Small integer tensors for shapes and axes; equal ones are stored once. */
  integers(values: readonly number[]): Tensor {
    return this.once(`integers_${values.join('_')}`, () => ({
      dims: [values.length],
      data: BigInt64Array.from(values, BigInt),
    }));
  }

  scalar(value: number): Tensor {
    return this.once(`scalar_${value}`, () => ({ dims: [], data: Float32Array.of(value) }));
  }

  /** Adds an operator with one output. A null input is an optional one that is left out. */
  node(operator: string, inputs: readonly (Tensor | null)[], options: NodeOptions = {}): Tensor {
    return this.nodeWithOutputs(operator, inputs, options)[0]!;
  }

  /** Adds an operator with several outputs. */
  nodeWithOutputs(operator: string, inputs: readonly (Tensor | null)[], options: NodeOptions): Tensor[] {
    const names = Array.from({ length: options.outputs ?? 1 }, () => `${operator}_${this.counter++}`);
    if (options.name !== undefined) names[0] = options.name;
    this.add(operator, inputs, names, options);
    return names.map((name) => ({ name }));
  }

  build(): Uint8Array {
    const graph = new ProtobufWriter();
    for (const node of this.nodes) graph.message(1, node);
    graph.text(2, this.name);
    for (const [name, initializer] of this.initializers)
      if (this.read.has(name)) graph.message(5, initializer);
    for (const input of this.inputs) graph.message(11, input);
    for (const output of this.outputs) graph.message(12, output);
    return new ProtobufWriter()
      .integer(1, IR_VERSION)
      .text(2, 'saccade')
      .message(7, graph)
      .message(8, new ProtobufWriter().text(1, '').integer(2, OPSET))
      .message(8, new ProtobufWriter().text(1, 'com.microsoft').integer(2, 1))
      .finish();
  }

  private once(name: string, tensor: () => TensorData): Tensor {
    const known = this.constants.get(name);
    if (known !== undefined) return known;
    const made = this.initializer(name, tensor());
    this.constants.set(name, made);
    return made;
  }

  private add(
    operator: string,
    inputs: readonly (Tensor | null)[],
    outputs: readonly string[],
    { attributes = {}, domain = '' }: NodeOptions,
  ): void {
    const node = new ProtobufWriter();
    for (const input of inputs) {
      node.text(1, (input ?? NO_TENSOR).name);
      if (input !== null) this.read.add(input.name);
    }
    for (const output of outputs) node.text(2, output);
    node.text(3, `${operator}_node_${this.nodes.length}`).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    if (domain !== '') node.text(7, domain);
    this.nodes.push(node);
  }
}

function attribute(name: string, value: Attribute): ProtobufWriter {
  const proto = new ProtobufWriter().text(1, name);
  if (typeof value === 'number') return proto.integer(3, value).integer(20, ATTRIBUTE.int);
  if (typeof value === 'string') return proto.text(4, value).integer(20, ATTRIBUTE.string);
  if ('float' in value) return proto.float(2, value.float).integer(20, ATTRIBUTE.float);
  if ('floats' in value) {
    for (const item of value.floats) proto.float(7, item);
    return proto.integer(20, ATTRIBUTE.floats);
  }
  for (const item of value) proto.integer(8, item);
  return proto.integer(20, ATTRIBUTE.ints);
}

function valueInfo(name: string, type: ElementType, dims: readonly Dimension[]): ProtobufWriter {
  const shape = new ProtobufWriter();
  for (const dim of dims) {
    shape.message(
      1,
      typeof dim === 'number' ? new ProtobufWriter().integer(1, dim) : new ProtobufWriter().text(2, dim),
    );
  }
  const tensor = new ProtobufWriter().integer(1, ELEMENT[type]).message(2, shape);
  return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensor));
}

function elementOf(data: TensorData['data']): number {
  if (data instanceof Float32Array) return ELEMENT.float32;
  if (data instanceof BigInt64Array) return ELEMENT.int64;
  if (data instanceof Int32Array) return ELEMENT.int32;
  return data instanceof Uint16Array ? ELEMENT.float16 : ELEMENT.uint8;
}

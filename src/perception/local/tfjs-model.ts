import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { widenFloat16 } from '../../lm/onnx/weights/float-formats.js';

/** A TensorFlow.js graph model: nodes by name, and the constants among them. */
export interface TfjsModel {
  nodes: Map<string, TfjsNode>;
  constants: Map<string, TfjsConstant>;
}

export interface TfjsNode {
  name: string;
  op: string;
  input?: string[];
  attr?: Record<string, TfjsAttribute>;
}

export interface TfjsAttribute {
  b?: boolean;
  i?: string | number;
  /** base64 */
  s?: string;
  list?: { i?: (string | number)[]; s?: string[] };
}

export interface TfjsConstant {
  dims: number[];
  data: Float32Array | Int32Array;
}

interface ModelJson {
  modelTopology: { node: TfjsNode[] };
  weightsManifest: {
    paths: string[];
    weights: { name: string; shape: number[]; dtype: string; quantization?: { dtype: string } }[];
  }[];
}

/**
 * Reads `model.json` and the weight files beside it; half-precision weights are widened.
 * @throws Error when a weight has a type that this reader does not know, or the files are shorter than they say
 */
export async function readTfjsModel(path: string): Promise<TfjsModel> {
  const json = JSON.parse(await readFile(path, 'utf8')) as ModelJson;
  const constants: TfjsModel['constants'] = new Map();
  for (const { paths, weights } of json.weightsManifest) {
    const bytes = Buffer.concat(await Promise.all(paths.map((file) => readFile(join(dirname(path), file)))));
    let offset = 0;
    for (const { name, shape, dtype, quantization } of weights) {
      const count = shape.reduce((a, b) => a * b, 1);
      const size = quantization?.dtype === 'float16' ? 2 : 4;
      if (offset + count * size > bytes.length)
        throw new Error(`${paths.join(', ')} ends before the weight ${name}.`);
      const slice = bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + count * size);
      constants.set(name, { dims: shape, data: decode(slice, dtype, quantization?.dtype) });
      offset += count * size;
    }
  }
  return { nodes: new Map(json.modelTopology.node.map((node) => [node.name, node])), constants };
}

function decode(bytes: ArrayBuffer, dtype: string, quantised: string | undefined): Float32Array | Int32Array {
  if (dtype === 'int32') return new Int32Array(bytes);
  if (dtype === 'float32' && quantised === undefined) return new Float32Array(bytes);
  if (dtype !== 'float32' || quantised !== 'float16')
    throw new Error(`Weights of type ${dtype} stored as ${quantised ?? dtype} cannot be read.`);
  const halves = new Uint16Array(bytes);
  const wide = new Float32Array(halves.length);
  widenFloat16(halves, wide);
  return wide;
}

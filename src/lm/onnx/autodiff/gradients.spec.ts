import ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { GraphBuilder, Tensor } from '../graph/graph-builder.js';
import { add } from './arithmetic.js';
import { headMatmul, biasedSoftmax } from './attention.js';
import { embedding, selectRows } from './embedding.js';
import { swiglu } from './gated.js';
import { reshape, transpose } from './layout.js';
import { linear } from './linear.js';
import { rmsNorm } from './rms-norm.js';
import { rotary } from './rotary.js';
import { Tape } from './tape.js';
import { tokenLogprob } from './token-logprob.js';

interface Case {
  name: string;
  /** Differentiable inputs by name, with their shapes. */
  inputs: Record<string, number[]>;
  outputDims: number[];
  build: (tape: Tape, inputs: Record<string, Tensor>) => Tensor;
}

const int64 = (graph: GraphBuilder, name: string, dims: number[], values: number[]) =>
  graph.initializer(name, { dims, data: BigInt64Array.from(values, BigInt) });
const float = (graph: GraphBuilder, name: string, dims: number[], data: Float32Array) =>
  graph.initializer(name, { dims, data });

const cases: Case[] = [
  {
    name: 'add',
    inputs: { a: [3, 4], b: [3, 4] },
    outputDims: [3, 4],
    build: (tape, { a, b }) => add(tape, a!, b!),
  },
  {
    name: 'add of a tensor to itself',
    inputs: { a: [3, 4] },
    outputDims: [3, 4],
    build: (tape, { a }) => add(tape, a!, a!),
  },
  {
    name: 'linear',
    inputs: { x: [5, 3], w: [4, 3] },
    outputDims: [5, 4],
    build: (tape, { x, w }) => linear(tape, x!, w!, null),
  },
  {
    name: 'linear with bias',
    inputs: { x: [5, 3], w: [4, 3], b: [4] },
    outputDims: [5, 4],
    build: (tape, { x, w, b }) => linear(tape, x!, w!, b!),
  },
  {
    name: 'a weight used twice',
    inputs: { x: [5, 3], w: [3, 3] },
    outputDims: [5, 3],
    build: (tape, { x, w }) => linear(tape, linear(tape, x!, w!, null), w!, null),
  },
  {
    name: 'rms norm',
    inputs: { x: [4, 6], w: [6] },
    outputDims: [4, 6],
    build: (tape, { x, w }) => rmsNorm(tape, x!, w!, 1e-6),
  },
  {
    name: 'reshape',
    inputs: { x: [4, 6] },
    outputDims: [2, 12],
    build: (tape, { x }) => reshape(tape, x!, tape.graph.integers([2, 12])),
  },
  {
    name: 'transpose',
    inputs: { x: [2, 3, 4] },
    outputDims: [4, 2, 3],
    build: (tape, { x }) => transpose(tape, x!, [2, 0, 1]),
  },
  {
    name: 'rotary',
    inputs: { x: [2, 2, 3, 4] },
    outputDims: [2, 2, 3, 4],
    build: (tape, { x }) => {
      const angles = Float32Array.from({ length: 8 * 2 }, (_, i) => 0.3 * i);
      const sine = angles.map(Math.sin);
      const positions = int64(tape.graph, 'positions', [2, 3], [0, 1, 2, 5, 6, 7]);
      return rotary(tape, x!, positions, {
        cosine: float(tape.graph, 'cosine', [8, 2], angles.map(Math.cos)),
        sine: float(tape.graph, 'sine', [8, 2], sine),
        negatedSine: float(
          tape.graph,
          'negated',
          [8, 2],
          sine.map((value) => -value),
        ),
      });
    },
  },
  {
    name: 'head matmul',
    inputs: { a: [2, 2, 3, 4], b: [2, 2, 4, 5] },
    outputDims: [2, 2, 3, 5],
    build: (tape, { a, b }) => headMatmul(tape, a!, b!),
  },
  {
    name: 'head matmul, transposed and scaled',
    inputs: { a: [2, 2, 3, 4], b: [2, 2, 5, 4] },
    outputDims: [2, 2, 3, 5],
    build: (tape, { a, b }) => headMatmul(tape, a!, b!, { transposeB: true, scale: 0.5 }),
  },
  {
    name: 'biased softmax',
    inputs: { s: [2, 3, 3] },
    outputDims: [2, 3, 3],
    build: (tape, { s }) =>
      biasedSoftmax(
        tape,
        s!,
        float(tape.graph, 'bias', [1, 3, 3], Float32Array.of(0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0)),
      ),
  },
  {
    name: 'swiglu',
    inputs: { g: [3, 4], u: [3, 4] },
    outputDims: [3, 4],
    build: (tape, { g, u }) => swiglu(tape, g!, u!),
  },
  {
    name: 'embedding with repeated ids',
    inputs: { t: [5, 3] },
    outputDims: [6, 3],
    build: (tape, { t }) => embedding(tape, t!, int64(tape.graph, 'ids', [6], [1, 4, 1, 0, 1, 4])),
  },
  {
    name: 'select rows',
    inputs: { x: [5, 3] },
    outputDims: [2, 3],
    build: (tape, { x }) => selectRows(tape, x!, int64(tape.graph, 'rows', [2], [3, 0])),
  },
  {
    name: 'token log-probability',
    inputs: { l: [4, 5] },
    outputDims: [4],
    build: (tape, { l }) => tokenLogprob(tape, l!, int64(tape.graph, 'targets', [4], [1, 4, 0, 1])),
  },
];

const size = (dims: readonly number[]) => dims.reduce((a, b) => a * b, 1);

/** Deterministic values in (-1, 1) that share no pattern with the shapes. */
function values(count: number, salt: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => Math.sin((i + 1) * 12.9898 + salt * 78.233) * 0.9);
}

async function run(
  session: ort.InferenceSession,
  feeds: Record<string, { dims: number[]; data: Float32Array }>,
): Promise<Record<string, Float32Array>> {
  const tensors = Object.fromEntries(
    Object.entries(feeds).map(([name, { dims, data }]) => [name, new ort.Tensor('float32', data, dims)]),
  );
  const outputs = await session.run(tensors);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => [name, tensor.data as Float32Array]),
  );
}

function relativeDifference(a: Float32Array, b: Float64Array): number {
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < a.length; i++) {
    difference += (a[i]! - b[i]!) ** 2;
    norm += b[i]! ** 2;
  }
  return Math.sqrt(difference / Math.max(norm, 1e-12));
}

describe('gradients agree with finite differences', () => {
  it.each(cases)('$name', async ({ inputs, outputDims, build }) => {
    const graph = new GraphBuilder('case');
    const tape = new Tape(graph);
    const tensors = Object.fromEntries(
      Object.entries(inputs).map(([name, dims]) => [name, tape.track(graph.input(name, 'float32', dims))]),
    );
    const y = build(tape, tensors);
    graph.output('y', y, 'float32', outputDims);
    tape.backward(y, graph.input('dy', 'float32', outputDims));
    for (const [name, tensor] of Object.entries(tensors))
      graph.output(`grad.${name}`, tape.gradient(tensor), 'float32', inputs[name]!);
    const session = await ort.InferenceSession.create(graph.build(), { intraOpNumThreads: 1 });

    const dy = values(size(outputDims), 99);
    const feeds: Record<string, { dims: number[]; data: Float32Array }> = {
      dy: { dims: outputDims, data: dy },
    };
    Object.entries(inputs).forEach(
      ([name, dims], i) => (feeds[name] = { dims, data: values(size(dims), i) }),
    );
    const analytic = await run(session, feeds);
    const objective = async () =>
      (await run(session, feeds))['y']!.reduce((sum, value, i) => sum + value * dy[i]!, 0);

    for (const name of Object.keys(inputs)) {
      const { data } = feeds[name]!;
      const numeric = new Float64Array(data.length);
      const step = 1e-2;
      for (let i = 0; i < data.length; i++) {
        const before = data[i]!;
        // Fourth-order differences, so that a step wide enough for single precision still is accurate.
        const at: number[] = [];
        for (const offset of [-2, -1, 1, 2]) {
          data[i] = before + offset * step;
          at.push(await objective());
        }
        data[i] = before;
        numeric[i] = (at[0]! - 8 * at[1]! + 8 * at[2]! - at[3]!) / (12 * step);
      }
      expect(relativeDifference(analytic[`grad.${name}`]!, numeric), name).toBeLessThan(5e-4);
    }
    await session.release();
  });
});

describe('the embedding gradient', () => {
  it('adds repeated ids in full, and to the same bits, at a large shape', async () => {
    const [vocabulary, width, count] = [2000, 256, 8192];
    const graph = new GraphBuilder('embedding');
    const tape = new Tape(graph);
    const table = tape.track(graph.input('table', 'float32', [vocabulary, width]));
    const ids = graph.input('ids', 'int64', [count]);
    const rows = embedding(tape, table, ids);
    tape.backward(rows, graph.input('dy', 'float32', [count, width]));
    graph.output('gradient', tape.gradient(table), 'float32', [vocabulary, width]);
    const session = await ort.InferenceSession.create(graph.build(), { intraOpNumThreads: 4 });

    const idValues = Int32Array.from({ length: count }, (_, i) => (i * i) % 37); // heavily repeated
    const dy = values(count * width, 3);
    const expected = new Float32Array(vocabulary * width);
    for (let i = 0; i < count; i++)
      for (let j = 0; j < width; j++) expected[idValues[i]! * width + j]! += dy[i * width + j]!;
    const feeds = {
      table: new ort.Tensor('float32', new Float32Array(vocabulary * width), [vocabulary, width]),
      ids: new ort.Tensor('int64', BigInt64Array.from(idValues, BigInt), [count]),
      dy: new ort.Tensor('float32', dy, [count, width]),
    };
    const runs: Float32Array[] = [];
    for (let i = 0; i < 3; i++) runs.push((await session.run(feeds))['gradient']!.data as Float32Array);
    for (const gradient of runs)
      expect(Buffer.compare(Buffer.from(gradient.buffer), Buffer.from(expected.buffer))).toBe(0);
    await session.release();
  });
});

import { DecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { initialiseWeights, Weights } from '../../src/lm/onnx/models/weights.js';
import { Random } from '../simulator/random.js';

type Direction = Float64Array;

const EMBEDDING_DEVIATION = 0.08;
/** Matrices that write into the residual stream start smaller than those that read from it. */
const WRITING_SHARE = 0.5;
/** What stays of the random numbers where a head is given a purpose. */
const NOISE = 0.2;
/** The fastest rotary pairs tell one position from the next. */
const POSITION_PAIRS = 3;
const POSITION_GAIN = 3.5;
/** The slowest hardly turn within a prompt, so they compare contents at any distance. */
const FIRST_CONTENT_PAIR = 9;
const CONTENT_GAIN = 2.2;
const OTHER_GAIN = 0.7;
const PREVIOUS_TOKEN_SCALE = 0.2;
const COPY_SCALE = 0.3;

/**
 * Fresh weights in which one head of the first layer looks at the token before, and the heads of the second look for
 * an earlier place where the current token came before and copy what followed: an induction head (Olsson et al. 2022,
 * "In-context Learning and Induction Heads"). Every question of the worlds is answered by looking up and copying. A
 * model of this size left to find that out from ordinary random weights (with the usual 0.02) had not begun to after ten
 * million tokens; from here it copies within two hundred steps, and training makes of it what the questions need.
 * In the manner of Trockman and Kolter 2023, "Mimetic Initialization of Self-Attention Layers".
 */
export function initialPolicyWeights(config: DecoderConfig, seed: number): Weights {
  const weights = initialiseWeights(config, seed);
  const random = new Random(seed + 1);
  rescale(weights, config);
  const common = unit(Array.from({ length: config.hiddenSize }, () => (random.chance(0.5) ? 1 : -1)));
  addToEmbeddings(weights, config, common);
  const directions = orthonormal(2 * config.headDim, config.hiddenSize, [common], random);
  const read = directions.slice(0, config.headDim);
  const written = directions.slice(config.headDim);
  lookBack(weights, config, common, read, written);
  findWhatFollowed(weights, config, read, written);
  return weights;
}

/** From the deviation of large models to 1/√size, so that a small model's matrices keep the size of what they map. */
function rescale(weights: Weights, { hiddenSize }: DecoderConfig): void {
  for (const [name, { data, dims }] of weights) {
    if (dims.length !== 2) continue;
    const writes = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
    const deviation = name.includes('embed_tokens')
      ? EMBEDDING_DEVIATION
      : (writes ? WRITING_SHARE : 1) / Math.sqrt(hiddenSize);
    for (let i = 0; i < data.length; i++) data[i] = (data[i]! * deviation) / 0.02;
  }
}

/** A part that all tokens share: with it a head can look at a position whatever token stands there. */
function addToEmbeddings(weights: Weights, { hiddenSize }: DecoderConfig, common: Direction): void {
  const { data } = weights.get('model.embed_tokens.weight')!;
  const size = EMBEDDING_DEVIATION * Math.sqrt(hiddenSize);
  for (let i = 0; i < data.length; i++) data[i] = data[i]! + size * common[i % hiddenSize]!;
}

/** First layer, first key head: attends one position back and writes what it reads there under other directions. */
function lookBack(
  weights: Weights,
  config: DecoderConfig,
  common: Direction,
  read: readonly Direction[],
  written: readonly Direction[],
): void {
  const { hiddenSize, heads, kvHeads, headDim, ropeTheta } = config;
  const { query, key, value, output, normaliseQuery, normaliseKey } = attention(weights, 0);
  const group = heads / kvHeads;
  const half = headDim / 2;
  for (let d = 0; d < headDim; d++) {
    for (let c = 0; c < hiddenSize; c++) {
      key[d * hiddenSize + c] = key[d * hiddenSize + c]! * NOISE;
      value[d * hiddenSize + c] = read[d]![c]!;
      for (let head = 0; head < group; head++) {
        const row = head * headDim + d;
        query[row * hiddenSize + c] = query[row * hiddenSize + c]! * NOISE;
        output[c * heads * headDim + row] = (PREVIOUS_TOKEN_SCALE / group) * written[d]![c]!;
      }
    }
  }
  // The key is turned ahead by one position, so that it meets the query of the token after.
  for (let pair = 0; pair < POSITION_PAIRS; pair++) {
    const angle = ropeTheta ** (-pair / half);
    for (let c = 0; c < hiddenSize; c++) {
      const along = 1.5 * common[c]!;
      key[pair * hiddenSize + c] = key[pair * hiddenSize + c]! + Math.cos(angle) * along;
      key[(pair + half) * hiddenSize + c] = key[(pair + half) * hiddenSize + c]! + Math.sin(angle) * along;
      for (let head = 0; head < group; head++) {
        const row = head * headDim + pair;
        query[row * hiddenSize + c] = query[row * hiddenSize + c]! + along;
      }
    }
  }
  normaliseQuery.fill(POSITION_GAIN);
  normaliseKey.fill(POSITION_GAIN);
}

/** Second layer: asks with the current token, is answered by the token after its like, and copies that. */
function findWhatFollowed(
  weights: Weights,
  config: DecoderConfig,
  read: readonly Direction[],
  written: readonly Direction[],
): void {
  const { hiddenSize, heads, kvHeads, headDim } = config;
  const { query, key, value, output, normaliseQuery, normaliseKey } = attention(weights, 1);
  const group = heads / kvHeads;
  const half = headDim / 2;
  const pairs = half - FIRST_CONTENT_PAIR;
  for (let i = 0; i < query.length; i++) query[i] = query[i]! * NOISE;
  for (let i = 0; i < key.length; i++) key[i] = key[i]! * NOISE;
  for (let code = 0; code < Math.min(headDim, kvHeads * 2 * pairs); code++) {
    const kv = Math.floor(code / (2 * pairs));
    const within = code % (2 * pairs);
    const d = within < pairs ? FIRST_CONTENT_PAIR + within : half + FIRST_CONTENT_PAIR + within - pairs;
    for (let c = 0; c < hiddenSize; c++) {
      const at = (kv * headDim + d) * hiddenSize + c;
      key[at] = key[at]! + written[code]![c]!;
      for (let head = 0; head < group; head++) {
        const row = ((kv * group + head) * headDim + d) * hiddenSize + c;
        query[row] = query[row]! + read[code]![c]!;
      }
    }
  }
  // Writing with the transpose of what reads gives back what was read.
  for (let row = 0; row < heads * headDim; row++) {
    const source = Math.floor(row / (group * headDim)) * headDim + (row % headDim);
    for (let c = 0; c < hiddenSize; c++) {
      const at = c * heads * headDim + row;
      output[at] = NOISE * output[at]! + COPY_SCALE * value[source * hiddenSize + c]!;
    }
  }
  for (let d = 0; d < headDim; d++) {
    const gain = d % half >= FIRST_CONTENT_PAIR ? CONTENT_GAIN : OTHER_GAIN;
    normaliseQuery[d] = gain;
    normaliseKey[d] = gain;
  }
}

function attention(weights: Weights, layer: number) {
  const of = (name: string) => weights.get(`model.layers.${layer}.self_attn.${name}.weight`)!.data;
  return {
    query: of('q_proj'),
    key: of('k_proj'),
    value: of('v_proj'),
    output: of('o_proj'),
    normaliseQuery: of('q_norm'),
    normaliseKey: of('k_norm'),
  };
}

/** Unit directions at right angles to one another and to those given (Gram and Schmidt). */
function orthonormal(count: number, size: number, given: readonly Direction[], random: Random): Direction[] {
  const all = [...given];
  while (all.length < given.length + count) {
    const fresh = Float64Array.from({ length: size }, () => random.unit() - 0.5);
    for (const other of all) {
      const shared = dot(fresh, other);
      for (let i = 0; i < size; i++) fresh[i] = fresh[i]! - shared * other[i]!;
    }
    all.push(unit(fresh));
  }
  return all.slice(given.length);
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function unit(values: ArrayLike<number>): Direction {
  const size = Math.sqrt(dot(values, values));
  return Float64Array.from(values, (value) => value / size);
}

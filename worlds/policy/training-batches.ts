import { ChatTokenizer } from '../../src/lm/onnx/tokenizer/chat-tokenizer.js';
import { SupervisedBatch } from '../../src/lm/onnx/training/supervised-trainer.js';
import { promptOf, WorldItem, worldItem } from '../questions/ask.js';
import { goldCompletion } from '../questions/question.js';
import { Random } from '../simulator/random.js';
import { PROMPT_WEIGHT, SEED, TOKENS_PER_BATCH, walkAt } from './recipe.js';

export interface TrainingExample {
  ids: number[];
  /** Tokens of the prompt; what follows is the completion. */
  promptLength: number;
}

/** Items drawn together and sorted by length, so that little of a batch is padding. */
const POOL = 1024;

export function encodeExample(tokenizer: ChatTokenizer, item: WorldItem): TrainingExample {
  const prompt = tokenizer.encodeChat(promptOf(item));
  const completion = tokenizer.encodeText(`${goldCompletion(item.question)}<|im_end|>`);
  return { ids: [...prompt, ...completion], promptLength: prompt.length };
}

/** Endless batches of fresh training items; `progress` in [0, 1) moves the curriculum. */
export function* trainingBatches(
  tokenizer: ChatTokenizer,
  progress: () => number,
): Generator<SupervisedBatch> {
  const random = new Random(SEED);
  for (let drawn = 0; ; drawn += POOL) {
    const examples = Array.from({ length: POOL }, (_, i) =>
      encodeExample(tokenizer, worldItem('train', drawn + i, walkAt(progress(), drawn + i))),
    );
    examples.sort((a, b) => a.ids.length - b.ids.length);
    const groups: TrainingExample[][] = [];
    while (examples.length > 0) {
      const longest = examples.at(-1)!.ids.length;
      groups.push(examples.splice(-Math.max(1, Math.floor(TOKENS_PER_BATCH / longest))));
    }
    for (const group of random.shuffled(groups)) yield padded(group);
  }
}

/** One batch, padded on the right; position i is to predict token i + 1. */
export function padded(examples: readonly TrainingExample[]): SupervisedBatch {
  const batch = examples.length;
  const length = Math.max(...examples.map(({ ids }) => ids.length)) - 1;
  const inputIds = new Int32Array(batch * length);
  const targetIds = new Int32Array(batch * length);
  const lossWeights = new Float32Array(batch * length);
  examples.forEach(({ ids, promptLength }, row) => {
    for (let i = 0; i < ids.length - 1; i++) {
      inputIds[row * length + i] = ids[i]!;
      targetIds[row * length + i] = ids[i + 1]!;
      lossWeights[row * length + i] = i + 1 < promptLength ? PROMPT_WEIGHT : 1;
    }
  });
  return { inputIds, targetIds, lossWeights, batch, length };
}

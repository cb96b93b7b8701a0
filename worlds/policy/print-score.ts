import { basename } from 'node:path';
import { OnnxLanguageModel } from '../../src/lm/onnx/onnx-language-model.js';
import { scorePolicy } from './score-policy.js';

/** `npm run policy:score -- [folder] [items per kind]`: the policy's accuracy per kind of question, against chance. */
const directory = process.argv[2] ?? 'models/tiny';
const itemsPerKind = Number(process.argv[3] ?? 100);

const model = await OnnxLanguageModel.load({ directory, policyVersion: basename(directory), threads: 2 });
const greedy = await scorePolicy(model, itemsPerKind, 0);
const sampled = await scorePolicy(model, itemsPerKind, 1);
await model.close();

const percent = (value: number) => `${(100 * value).toFixed(1)} %`.padStart(9);
console.log(`${'kind'.padEnd(22)}   greedy  sampled   chance`);
for (const [kind, { accuracy, chance }] of Object.entries(greedy.byKind)) {
  const sampledKind = sampled.byKind[kind as keyof typeof sampled.byKind];
  console.log(`${kind.padEnd(22)}${percent(accuracy)}${percent(sampledKind.accuracy)}${percent(chance)}`);
}
console.log(
  `${'all'.padEnd(22)}${percent(greedy.accuracy)}${percent(sampled.accuracy)}${percent(greedy.chance)}`,
);
console.log(JSON.stringify({ policy: model.policyVersion, greedy, sampled }));

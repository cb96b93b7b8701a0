import { promptOf, worldItem } from '../questions/ask.js';
import { goldCompletion } from '../questions/question.js';
import { WALK } from './recipe.js';

const COCO_NAMES =
  'person bicycle car motorcycle airplane bus train truck boat traffic light fire hydrant stop sign parking meter bench bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie suitcase frisbee skis snowboard sports ball kite baseball bat baseball glove skateboard surfboard tennis racket bottle wine glass cup fork knife spoon bowl banana apple sandwich orange broccoli carrot hot dog pizza donut cake chair couch potted plant bed dining table toilet tv laptop mouse remote keyboard cell phone microwave oven toaster sink refrigerator book clock vase scissors teddy bear hair drier toothbrush';

/** Questions in words that the simulator does not use, so that people's own words cost few tokens. */
const PEOPLES_WORDS = [
  'What is behind me? Which object is closest to the door? Did the robot turn around? Where was the person standing when I came in?',
  'How many people are there in the room? Is the car moving towards the building or away from it? What should the drone do next?',
  'Describe the route from the kitchen to the exit. Which direction is north? How far is the window, in metres? What did you see between the two tables?',
  'I would like to know whether there is any furniture on my right side. Please tell me what changed since the last time we looked at this street.',
];

/** The text that the tokenizer is trained on: what the policy reads and writes, and some words more. */
export function tokenizerCorpus(): string[] {
  const items = Array.from({ length: 4000 }, (_, i) => worldItem('train', i, WALK));
  const world = items.flatMap((item) => [
    ...promptOf(item).map((message) => message.content),
    goldCompletion(item.question),
  ]);
  const names = Array.from({ length: 200 }, () => ` ${COCO_NAMES}`);
  return [...world, ...names, ...PEOPLES_WORDS.flatMap((text) => Array.from({ length: 20 }, () => text))];
}

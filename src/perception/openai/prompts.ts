import { AGENT_ACTIONS, BEARINGS, COLOURS, DISTANCES } from '../percept.js';

/** Raised with every change of the words below, so that percepts of other words are not reused. */
export const PROMPT_VERSION = 1;

const OBJECT_RULES =
  `List at most 8 objects that would help somebody to find their way. For each give its name, its colour (${COLOURS.join(', ')}, or null), ` +
  `where it is seen from you (${BEARINGS.join(', ')}) and whether it is near or far. Tell look-alikes apart by colour or place.`;

/** The first view: what is there (Embodied-R, section 3.2: the initial frame). */
export const FIRST_VIEW =
  'You are an agent with a camera. The picture is your first view. ' +
  `${OBJECT_RULES} Also describe the scene in one or two sentences, with directions as seen from you.`;

/** A later view: how you moved and what is new (Embodied-R, section 3.2: consecutive frames). */
export const NEXT_VIEW =
  'You are an agent with a camera. The first picture is your earlier view, the second is your view now. ' +
  `Compare what both show and say which of these you did between them: ${AGENT_ACTIONS.join(', ')}, or none. ` +
  `${OBJECT_RULES} Mark objects that the earlier view did not show as new, and name those that are no longer seen. ` +
  'Describe in one or two sentences what the view now adds to what you knew, with directions as seen from you.';

export function questionView(question: string, options: readonly string[]): string {
  const choices =
    options.length === 0
      ? ''
      : ` The choices are: ${options.map((option) => JSON.stringify(option)).join(', ')}.`;
  return (
    'You are an agent with a camera, and the picture is what you see. Somebody asks: ' +
    `${JSON.stringify(question)}.${choices} Describe those things named in the question or the choices that the picture shows: ` +
    'their look, their place as seen from you, and how near they are. Say so if it shows none. Do not answer the question.'
  );
}

/** JSON schema of the reply, for servers that hold the model to one. */
export const REPLY_SCHEMA = {
  type: 'object',
  properties: {
    action: { type: ['string', 'null'], enum: [...AGENT_ACTIONS, null] },
    objects: {
      type: 'array',
      maxItems: 8,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          colour: { type: ['string', 'null'], enum: [...COLOURS, null] },
          bearing: { type: 'string', enum: [...BEARINGS] },
          distance: { type: 'string', enum: [...DISTANCES] },
          new: { type: 'boolean' },
        },
        required: ['name', 'colour', 'bearing', 'distance', 'new'],
        additionalProperties: false,
      },
    },
    gone: { type: 'array', items: { type: 'string' } },
    description: { type: 'string' },
  },
  required: ['action', 'objects', 'gone', 'description'],
  additionalProperties: false,
} as const;

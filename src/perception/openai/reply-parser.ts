import {
  AGENT_ACTIONS,
  AgentAction,
  Bearing,
  BEARINGS,
  Colour,
  COLOURS,
  Distance,
  DISTANCES,
  ObservedObject,
} from '../percept.js';

/** What a vision-language model said of a view. */
export interface ViewReply {
  action: AgentAction | null;
  objects: ObservedObject[];
  gone: string[];
  description: string;
}

const MAX_OBJECTS = 8;
const MAX_NAME = 60;
const MAX_DESCRIPTION = 600;

/**
 * Reads a reply that should be JSON. Models wrap it in prose or code fences, leave commas behind, or are cut off;
 * what can be read for certain is taken. Null when there is no object with a description or objects in it.
 */
export function parseViewReply(text: string): ViewReply | null {
  const start = text.indexOf('{');
  if (start < 0) return null;
  const json = parseLoosely(text.slice(start));
  if (json === null) return null;
  const fields = new Map(Object.entries(json));
  const objects = list(fields.get('objects')).flatMap(readObject).slice(0, MAX_OBJECTS);
  const description = plain(fields.get('description'), MAX_DESCRIPTION);
  if (objects.length === 0 && description === '') return null;
  return {
    action: readAction(fields.get('action')),
    objects,
    gone: list(fields.get('gone'))
      .map((name) => plain(name, MAX_NAME))
      .filter((name) => name !== '')
      .slice(0, MAX_OBJECTS),
    description,
  };
}

function parseLoosely(text: string): object | null {
  for (const candidate of [text, text.slice(0, text.lastIndexOf('}') + 1), closed(text)]) {
    try {
      const value: unknown = JSON.parse(candidate.replace(/,\s*([}\]])/g, '$1'));
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // the next candidate may do
    }
  }
  return null;
}

/** A reply that was cut off, ended after its last whole value and with its brackets closed. */
function closed(text: string): string {
  const open: string[] = [];
  let inString = false;
  let whole = 0;
  let openAtWhole: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
      continue;
    }
    if (c === '"') inString = true;
    else if (c === '{') open.push('}');
    else if (c === '[') open.push(']');
    else if (c === '}' || c === ']') open.pop();
    if (c === ',' || c === '}' || c === ']') [whole, openAtWhole] = [c === ',' ? i : i + 1, [...open]];
  }
  return text.slice(0, whole) + openAtWhole.reverse().join('');
}

function readObject(value: unknown): ObservedObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = new Map(Object.entries(value));
  const name = plain(fields.get('name'), MAX_NAME).toLowerCase();
  if (name === '') return [];
  const colour = String(fields.get('colour') ?? fields.get('color')).toLowerCase();
  return [
    {
      name,
      colour: COLOURS.find((known) => known === colour) ?? (null satisfies Colour | null),
      bearing: nearest<Bearing>(BEARINGS, fields.get('bearing'), 'ahead'),
      distance: nearest<Distance>(DISTANCES, fields.get('distance'), 'far'),
      isNew: fields.get('new') === true,
      score: null,
    },
  ];
}

function readAction(value: unknown): AgentAction | null {
  const said = String(value).toLowerCase().trim();
  return AGENT_ACTIONS.find((action) => action === said) ?? null;
}

function nearest<T extends string>(known: readonly T[], value: unknown, fallback: T): T {
  const said = String(value).toLowerCase();
  return known.find((word) => said.includes(word)) ?? fallback;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** One line of text without tags, since it ends up in the prompt of another model. */
function plain(value: unknown, maxLength: number): string {
  return typeof value === 'string'
    ? value.replace(/[<>]/g, ' ').replace(/\s+/g, ' ').trim().slice(0, maxLength)
    : '';
}

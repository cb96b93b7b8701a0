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

/** Places in a reply where an object may begin that are tried; prose has few braces. */
const MAX_STARTS = 20;

/**
 * Reads a reply that should be JSON. Models wrap it in prose, code fences or thinking, leave commas behind, or are cut
 * off; what can be read for certain is taken. Null when there is no object with a description or objects in it.
 */
export function parseViewReply(text: string): ViewReply | null {
  const said = afterThinking(text);
  for (let start = said.indexOf('{'), i = 0; start >= 0 && i < MAX_STARTS; i++) {
    const json = parseLoosely(objectAt(said, start));
    const view = json === null ? null : readView(json);
    if (view !== null) return view;
    start = said.indexOf('{', start + 1);
  }
  return null;
}

/** Reads what was said about a question, as one line of plain text; null when that is nothing. */
export function parseQuestionReply(text: string): string | null {
  return plain(afterThinking(text), MAX_DESCRIPTION) || null;
}

/** What follows the thinking of models whose server does not take it off. */
function afterThinking(text: string): string {
  const end = text.lastIndexOf('</think>');
  return end < 0 ? text : text.slice(end + '</think>'.length);
}

function readView(json: object): ViewReply | null {
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
  // Line breaks inside strings are no JSON; between values they mean as little as a space.
  const oneLine = text.replace(/[\n\r\t]/g, ' ');
  for (const candidate of [oneLine, oneLine.replace(/,\s*([}\]])/g, '$1')]) {
    try {
      return JSON.parse(candidate) as object;
    } catch {
      // the next candidate may do
    }
  }
  return null;
}

/**
 * The object that begins at `start`: up to its own closing bracket, or, in a reply that was cut off, up to its last
 * whole value with its brackets closed.
 */
function objectAt(text: string, start: number): string {
  const open: string[] = [];
  let inString = false;
  let whole = start;
  let openAtWhole: string[] = [];
  for (let i = start; i < text.length; i++) {
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
    if (open.length === 0) break;
  }
  return text.slice(start, whole) + openAtWhole.reverse().join('');
}

function readObject(value: unknown): ObservedObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = new Map(Object.entries(value));
  const name = plain(fields.get('name'), MAX_NAME).toLowerCase();
  if (name === '') return [];
  return [
    {
      name,
      colour: readColour(fields.get('colour') ?? fields.get('color')),
      bearing: nearest<Bearing>(BEARINGS, fields.get('bearing'), 'ahead'),
      distance: nearest<Distance>(DISTANCES, fields.get('distance'), 'far'),
      isNew: fields.get('new') === true,
      score: null,
    },
  ];
}

/** `dark red` is red; what names no colour or several is left out. */
function readColour(value: unknown): Colour | null {
  const words = String(value)
    .toLowerCase()
    .replaceAll('grey', 'gray')
    .split(/[^a-z]+/);
  const named = COLOURS.filter((colour) => words.includes(colour));
  return named.length === 1 ? named[0]! : null;
}

/** Also with an amount behind it: `rotate left by about 30 degrees`. */
function readAction(value: unknown): AgentAction | null {
  const said = String(value).toLowerCase().trim();
  return AGENT_ACTIONS.find((action) => said === action || said.startsWith(`${action} `)) ?? null;
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

import { ActionTaken, ObservedObject } from './percept.js';

/**
 * The one place where percepts become words. The local perceiver, the simulator and the prompt all use it, so that
 * the policy is trained on exactly the sentences that it reads when it serves.
 */

/** `rotate left 90 degrees`, `move forward`. */
export function wordAction(taken: ActionTaken): string {
  return taken.degrees === null ? taken.action : `${taken.action} ${taken.degrees} degrees`;
}

/** `a red chair ahead, near`; `new` objects are marked so. */
export function wordObject(object: ObservedObject): string {
  const noun = object.colour === null ? object.name : `${object.colour} ${object.name}`;
  const place = object.bearing === 'ahead' ? 'ahead' : `on the ${object.bearing}`;
  return `${object.isNew ? 'new ' : ''}${noun} ${place}, ${object.distance}`;
}

/** What is seen, then what is gone: `red chair ahead, near; new blue couch on the left, far; gone: tv`. */
export function wordObservation(objects: readonly ObservedObject[], gone: readonly string[]): string {
  const seen = objects.length === 0 ? 'nothing known' : objects.map(wordObject).join('; ');
  return gone.length === 0 ? seen : `${seen}; gone: ${gone.join(', ')}`;
}

/** The action part of a percept: `move forward, rotate left 45 degrees`, or `staying` when there was none. */
export function wordActions(actions: readonly ActionTaken[]): string {
  return actions.length === 0 ? 'staying' : actions.map(wordAction).join(', ');
}

/** The agent's actions, in the paper's words (Embodied-R, section 3.2). */
export const AGENT_ACTIONS = [
  'move forward',
  'move backward',
  'move left',
  'move right',
  'move upward',
  'move downward',
  'rotate left',
  'rotate right',
  'tilt downward',
  'tilt upward',
] as const;

export type AgentAction = (typeof AGENT_ACTIONS)[number];

/** One movement; degrees only for rotations and tilts, rounded to DEGREE_STEP. */
export interface ActionTaken {
  action: AgentAction;
  degrees: number | null;
}

/** Rotations and tilts are told in multiples of this many degrees, the resolution that the homography supports. */
export const DEGREE_STEP = 15;

export const COLOURS = [
  'red',
  'orange',
  'yellow',
  'green',
  'blue',
  'purple',
  'pink',
  'brown',
  'black',
  'white',
  'gray',
] as const;
export type Colour = (typeof COLOURS)[number];

/** Direction of an object in the current view, relative to the agent. */
export const BEARINGS = ['left', 'ahead', 'right'] as const;
export type Bearing = (typeof BEARINGS)[number];

export const DISTANCES = ['near', 'far'] as const;
export type Distance = (typeof DISTANCES)[number];

/** An object that the agent sees, or saw in the previous keyframe and no longer sees. */
export interface ObservedObject {
  /** COCO class name, such as `dining table`. */
  name: string;
  colour: Colour | null;
  bearing: Bearing;
  distance: Distance;
  /** Not in the previous keyframe. Always false for the first keyframe. */
  isNew: boolean;
  /** Detector confidence in [0, 1]; null when told by a VLM or the simulator. */
  score: number | null;
}

/** What the geometry and the VLM disagree about (first defence against hallucinated movement). */
export interface ActionContradiction {
  claimed: string;
  measured: ActionTaken;
}

/** What was perceived between the previous keyframe and this one, as data and as the text that the LM reads. */
export interface Percept {
  /** Movements since the previous keyframe, in order; empty for the first keyframe or when standing still. */
  actions: ActionTaken[];
  objects: ObservedObject[];
  /** Objects of the previous keyframe that are not seen now. */
  gone: string[];
  /** The observation as the LM reads it, without the action. */
  text: string;
  contradiction: ActionContradiction | null;
}

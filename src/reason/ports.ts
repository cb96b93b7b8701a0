/** Injection tokens of the ports that configuration gives a body. */
export const FRAME_SOURCE = Symbol('FrameSource');
export const KEYFRAME_SELECTORS = Symbol('KeyframeSelectorFactory');
export const PERCEPTION = Symbol('PerceptionPipeline');
export const LANGUAGE_MODEL = Symbol('LanguageModel');

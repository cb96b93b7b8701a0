/** The pinhole camera of every clip, and the size of its truth pictures. */
export interface CameraLens {
  width: number;
  height: number;
  horizontalFovDegrees: number;
  truthWidth: number;
  truthHeight: number;
}

export const LENS: CameraLens = {
  width: 640,
  height: 360,
  horizontalFovDegrees: 75,
  truthWidth: 160,
  truthHeight: 90,
};
export const FRAMES_PER_SECOND = 8;

/** Focal length in pixels of an image that is `width` pixels wide. */
export function focalLength(lens: CameraLens, width: number): number {
  return width / 2 / Math.tan((lens.horizontalFovDegrees * Math.PI) / 360);
}

/** What each pixel of a small picture shows. */
export interface TruthImage {
  width: number;
  height: number;
  /** [height, width, 2]: object id (0: no object) and depth along the optical axis in metres (0: sky). */
  packed: Float32Array;
}

/** A grey picture, 8 bits a pixel, rows without padding: `data` is [height, width]. */
export interface GrayImage {
  width: number;
  height: number;
  data: Uint8Array;
}

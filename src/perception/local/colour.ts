import { Colour } from '../percept.js';
import { Detection } from './peaks.js';

/** The middle of a box is looked at: its edges show the background. */
const INNER_SHARE = 0.6;
const SAMPLES = 24;
/** A colour is told when at least this share of the samples have it. */
const MAJORITY = 0.35;

/**
 * The colour that most of an object's pixels have; null when none stands out.
 * @param rgb [height, width, 3]
 */
export function colourOf(rgb: Uint8Array, width: number, height: number, box: Detection): Colour | null {
  const counts = new Map<Colour, number>();
  for (let j = 0; j < SAMPLES; j++) {
    for (let i = 0; i < SAMPLES; i++) {
      const x = between(box.left, box.right, i) * width;
      const y = between(box.top, box.bottom, j) * height;
      const at = (Math.min(height - 1, Math.floor(y)) * width + Math.min(width - 1, Math.floor(x))) * 3;
      const colour = nameColour(rgb[at]!, rgb[at + 1]!, rgb[at + 2]!);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  const [colour, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  return count >= MAJORITY * SAMPLES * SAMPLES ? colour : null;
}

function between(low: number, high: number, i: number): number {
  const margin = (1 - INNER_SHARE) / 2;
  return low + (high - low) * (margin + (INNER_SHARE * (i + 0.5)) / SAMPLES);
}

/** Name of one pixel's colour by hue, saturation and value; channels 0–255. */
export function nameColour(red: number, green: number, blue: number): Colour {
  const max = Math.max(red, green, blue);
  const chroma = max - Math.min(red, green, blue);
  const saturation = max === 0 ? 0 : chroma / max;
  if (max < 50) return 'black';
  if (saturation < 0.18) return max > 190 ? 'white' : max < 75 ? 'black' : 'gray';
  const hue = hueOf(red, green, blue, max, chroma);
  if (hue < 15 || hue >= 345) return max > 180 && saturation < 0.5 ? 'pink' : 'red';
  if (hue < 42) return max < 165 || saturation < 0.45 ? 'brown' : 'orange';
  if (hue < 68) return max < 110 ? 'brown' : 'yellow';
  if (hue < 165) return 'green';
  if (hue < 255) return 'blue';
  return hue < 295 ? 'purple' : saturation < 0.75 || max > 200 ? 'pink' : 'purple';
}

/** In degrees, [0, 360). */
function hueOf(red: number, green: number, blue: number, max: number, chroma: number): number {
  if (max === red) return (60 * ((green - blue) / chroma) + 360) % 360;
  if (max === green) return 60 * ((blue - red) / chroma) + 120;
  return 60 * ((red - green) / chroma) + 240;
}

import { loadOpenCV, type OpenCV } from '@opencvjs/node';
import { Frame } from '../../src/frames/frame.js';

/** The paper's rule on OpenCV compiled to WebAssembly: a second judge that needs nothing installed. */
export class OpenCvRule {
  private constructor(private readonly cv: typeof OpenCV) {}

  static async load(): Promise<OpenCvRule> {
    return new OpenCvRule(await loadOpenCV());
  }

  /** Share of the keyframe that the current frame's warped outline covers; null where the rule keeps it unmatched. */
  overlap(current: Frame, keyframe: Frame): number | null {
    const { cv } = this;
    const [a, b] = [this.look(current), this.look(keyframe)];
    const matches = new cv.DMatchVector();
    const matcher = new cv.BFMatcher(cv.NORM_HAMMING, true);
    try {
      if (a.descriptors.rows === 0 || b.descriptors.rows === 0) return null;
      matcher.match(a.descriptors, b.descriptors, matches);
      if (matches.size() <= 10) return null;
      const pairs = Array.from({ length: matches.size() }, (_, i) => matches.get(i));
      const from = pairs.flatMap(({ queryIdx }) => [
        a.points.get(queryIdx).pt.x,
        a.points.get(queryIdx).pt.y,
      ]);
      const to = pairs.flatMap(({ trainIdx }) => [b.points.get(trainIdx).pt.x, b.points.get(trainIdx).pt.y]);
      return this.covered(from, to, current.width, current.height);
    } finally {
      [a.points, a.descriptors, b.points, b.descriptors, matches, matcher].forEach((held) => held.delete());
    }
  }

  private look({ rgb, width, height }: Frame) {
    const { cv } = this;
    const colour = cv.matFromArray(height, width, cv.CV_8UC3, rgb as unknown as number[]);
    const gray = new cv.Mat();
    const none = new cv.Mat();
    const orb = new cv.ORB(500);
    const points = new cv.KeyPointVector();
    const descriptors = new cv.Mat();
    cv.cvtColor(colour, gray, cv.COLOR_RGB2GRAY);
    orb.detectAndCompute(gray, none, points, descriptors);
    [colour, gray, none, orb].forEach((held) => held.delete());
    return { points, descriptors };
  }

  private covered(from: number[], to: number[], width: number, height: number): number | null {
    const { cv } = this;
    const source = cv.matFromArray(from.length / 2, 1, cv.CV_32FC2, from);
    const target = cv.matFromArray(to.length / 2, 1, cv.CV_32FC2, to);
    const homography = cv.findHomography(source, target, cv.RANSAC, 5);
    try {
      if (homography.empty()) return null;
      const h = homography.data64F;
      const outline = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]] as const; // prettier-ignore
      const warped = outline.map(([x, y]) => {
        const w = h[6]! * x + h[7]! * y + h[8]!;
        return [(h[0]! * x + h[1]! * y + h[2]!) / w, (h[3]! * x + h[4]! * y + h[5]!) / w] as const;
      });
      return countCovered(warped, width, height);
    } finally {
      [source, target, homography].forEach((held) => held.delete());
    }
  }
}

/** Share of a grid of points that lie inside the polygon, by the even-odd rule. */
function countCovered(
  polygon: readonly (readonly [number, number])[],
  width: number,
  height: number,
): number {
  let inside = 0;
  const [columns, rows] = [160, 90];
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const [x, y] = [((i + 0.5) * width) / columns, ((j + 0.5) * height) / rows];
      let odd = false;
      polygon.forEach(([ax, ay], n) => {
        const [bx, by] = polygon[(n + 1) % polygon.length]!;
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
      });
      if (odd) inside++;
    }
  }
  return inside / (columns * rows);
}

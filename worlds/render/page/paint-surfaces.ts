import { seededRandom, type SeededRandom } from '../seeded-random.js';
import { type Paint } from '../scene/scene-plan.js';

type Brush = CanvasRenderingContext2D;

const hsl = (hue: number, saturation: number, light: number): string =>
  `hsl(${hue} ${saturation}% ${light}%)`;

/** Small specks over everything: the fine grain that keeps corners alive after video compression. */
function speckle(brush: Brush, random: SeededRandom, width: number, height: number, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const size = random.between(1, 4);
    brush.fillStyle =
      random.next() < 0.5
        ? `rgba(0,0,0,${random.between(0.1, 0.4)})`
        : `rgba(255,255,255,${random.between(0.1, 0.4)})`;
    brush.fillRect(random.between(0, width), random.between(0, height), size, size * random.between(0.5, 2));
  }
}

function wallpaper(brush: Brush, random: SeededRandom, width: number, height: number): void {
  const hue = random.below(360);
  brush.fillStyle = hsl(hue, random.between(15, 40), random.between(60, 80));
  brush.fillRect(0, 0, width, height);
  for (let index = 0; index < (width * height) / 4200; index += 1) {
    const x = random.between(0, width);
    const y = random.between(0, height);
    const size = random.between(7, 30);
    brush.fillStyle = hsl(hue + random.between(-50, 50), random.between(20, 60), random.between(35, 88));
    brush.beginPath();
    const corners = 3 + random.below(4);
    for (let corner = 0; corner < corners; corner += 1) {
      const angle = (corner / corners) * 2 * Math.PI + random.between(-0.4, 0.4);
      brush.lineTo(
        x + Math.cos(angle) * size * random.between(0.4, 1),
        y + Math.sin(angle) * size * random.between(0.4, 1),
      );
    }
    brush.fill();
  }
  brush.fillStyle = hsl(hue, 25, 92);
  brush.fillRect(0, height * 0.95, width, height * 0.05);
  speckle(brush, random, width, height, (width * height) / 2500);
}

function bricks(brush: Brush, random: SeededRandom, width: number, height: number): void {
  const hue = random.between(5, 40);
  brush.fillStyle = '#b8b0a4';
  brush.fillRect(0, 0, width, height);
  const rowHeight = 26;
  for (let row = 0; row * rowHeight < height; row += 1) {
    for (let x = -random.between(0, 60); x < width;) {
      const length = random.between(40, 70);
      brush.fillStyle = hsl(hue + random.between(-8, 8), random.between(20, 50), random.between(28, 60));
      brush.fillRect(x, row * rowHeight, length - 4, rowHeight - 4);
      x += length;
    }
  }
  speckle(brush, random, width, height, (width * height) / 900);
}

function planks(brush: Brush, random: SeededRandom, width: number, height: number): void {
  const hue = random.between(20, 38);
  const rowHeight = 40;
  for (let row = 0; row * rowHeight < height; row += 1) {
    for (let x = -random.between(0, 200); x < width;) {
      const length = random.between(120, 320);
      const light = random.between(30, 58);
      brush.fillStyle = hsl(hue, random.between(25, 50), light);
      brush.fillRect(x, row * rowHeight, length - 3, rowHeight - 3);
      for (let grain = 0; grain < 5; grain += 1) {
        brush.fillStyle = hsl(hue, 35, light - random.between(6, 16));
        brush.fillRect(
          x + random.between(0, length * 0.7),
          row * rowHeight + random.between(2, 36),
          random.between(15, 80),
          2,
        );
      }
      if (random.next() < 0.4) {
        brush.fillStyle = hsl(hue, 40, light - 20);
        brush.beginPath();
        brush.ellipse(
          x + length / 2,
          row * rowHeight + 18,
          random.between(4, 9),
          random.between(3, 6),
          0,
          0,
          7,
        );
        brush.fill();
      }
      x += length;
    }
  }
  speckle(brush, random, width, height, (width * height) / 1500);
}

function slabs(
  brush: Brush,
  random: SeededRandom,
  width: number,
  height: number,
  cell: number,
  hue: number,
  saturation: number,
): void {
  brush.fillStyle = hsl(hue, 6, 40);
  brush.fillRect(0, 0, width, height);
  for (let y = 0; y < height; y += cell) {
    for (let x = 0; x < width; x += cell) {
      brush.fillStyle = hsl(hue + random.between(-15, 15), saturation, random.between(45, 78));
      brush.fillRect(x, y, cell - 4, cell - 4);
      if (random.next() < 0.3) {
        brush.fillStyle = hsl(hue, saturation, random.between(25, 45));
        brush.fillRect(
          x + random.between(0, cell * 0.6),
          y + random.between(0, cell * 0.6),
          random.between(4, cell / 3),
          random.between(4, cell / 3),
        );
      }
    }
  }
  speckle(brush, random, width, height, (width * height) / 700);
}

function art(brush: Brush, random: SeededRandom, width: number, height: number): void {
  brush.fillStyle = hsl(random.below(360), 40, random.between(30, 85));
  brush.fillRect(0, 0, width, height);
  for (let index = 0; index < 26; index += 1) {
    brush.fillStyle = hsl(random.below(360), random.between(50, 95), random.between(25, 75));
    brush.beginPath();
    if (random.next() < 0.5) {
      brush.rect(
        random.between(0, width),
        random.between(0, height),
        random.between(10, width / 3),
        random.between(10, height / 3),
      );
    } else {
      brush.arc(random.between(0, width), random.between(0, height), random.between(8, width / 6), 0, 7);
    }
    brush.fill();
  }
  brush.lineWidth = width / 14;
  brush.strokeStyle = hsl(30, 40, random.between(12, 30));
  brush.strokeRect(0, 0, width, height);
}

function facade(brush: Brush, random: SeededRandom, width: number, height: number): void {
  bricks(brush, random, width, height);
  brush.fillStyle = hsl(random.below(360), random.between(10, 35), random.between(50, 80));
  brush.globalAlpha = random.between(0.3, 0.75);
  brush.fillRect(0, 0, width, height);
  brush.globalAlpha = 1;
  const storeys = Math.max(2, Math.round(height / 430));
  const bays = Math.max(2, Math.round(width / 330));
  for (let storey = 0; storey < storeys; storey += 1) {
    const shop = storey === storeys - 1;
    for (let bay = 0; bay < bays; bay += 1) {
      const w = (width / bays) * random.between(0.45, shop ? 0.85 : 0.7);
      const h = (height / storeys) * random.between(0.5, 0.72);
      const x = ((bay + 0.5) * width) / bays - w / 2;
      const y = ((storey + 0.55) * height) / storeys - h / 2;
      brush.fillStyle = hsl(random.below(360), 15, random.between(75, 95));
      brush.fillRect(x - 16, y - 16, w + 32, h + 32);
      brush.fillStyle = hsl(random.between(190, 230), 30, random.between(15, 40));
      brush.fillRect(x, y, w, h);
      brush.fillStyle = hsl(random.below(360), random.between(20, 70), random.between(40, 80));
      brush.fillRect(x, y, w * random.between(0.1, 0.5), h * random.between(0.3, 1));
      brush.fillStyle = '#eee';
      brush.fillRect(x + w / 2 - 5, y, 10, h);
      brush.fillRect(x, y + h * 0.4, w, 10);
    }
    if (shop) {
      brush.fillStyle = hsl(random.below(360), 70, 35);
      brush.fillRect(0, (storey * height) / storeys, width, 70);
      brush.fillStyle = '#fff';
      brush.font = 'bold 58px sans-serif';
      const words = [
        'BAKERY',
        'BOOKS',
        'CAFE 24',
        'FLOWERS',
        'HARDWARE',
        'MARKET',
        'PHARMACY',
        'TOYS',
        'BIKES',
      ];
      for (let x = 20; x < width; x += 430)
        brush.fillText(random.pick(words), x, (storey * height) / storeys + 56);
    }
  }
}

function asphalt(brush: Brush, random: SeededRandom, width: number, height: number): void {
  brush.fillStyle = '#5a5b5e';
  brush.fillRect(0, 0, width, height);
  speckle(brush, random, width, height, (width * height) / 220);
  for (let index = 0; index < 46; index += 1) {
    const light = random.between(24, 52);
    brush.fillStyle = hsl(220, 4, light);
    brush.fillRect(
      random.between(0, width),
      random.between(0, height),
      random.between(15, 110),
      random.between(15, 90),
    );
  }
  brush.lineWidth = 3;
  for (let index = 0; index < 40; index += 1) {
    brush.strokeStyle = hsl(220, 5, random.between(12, 25));
    let x = random.between(0, width);
    let y = random.between(0, height);
    brush.beginPath();
    brush.moveTo(x, y);
    for (let bend = 0; bend < 6; bend += 1)
      brush.lineTo((x += random.between(-40, 40)), (y += random.between(-40, 40)));
    brush.stroke();
  }
  // The road runs along the canvas's height: a dashed line in the middle, whole ones at the edges.
  brush.fillStyle = '#e8e4d0';
  for (let y = 0; y < height; y += 90) brush.fillRect(width / 2 - 6, y + random.between(0, 8), 12, 46);
  brush.fillRect(width * 0.03, 0, 8, height);
  brush.fillRect(width * 0.96, 0, 8, height);
}

function grass(brush: Brush, random: SeededRandom, width: number, height: number): void {
  brush.fillStyle = hsl(95, 35, 34);
  brush.fillRect(0, 0, width, height);
  for (let index = 0; index < (width * height) / 160; index += 1) {
    brush.fillStyle = hsl(random.between(70, 125), random.between(25, 60), random.between(18, 55));
    brush.fillRect(
      random.between(0, width),
      random.between(0, height),
      random.between(2, 9),
      random.between(2, 9),
    );
  }
}

function rug(brush: Brush, random: SeededRandom, width: number, height: number): void {
  wallpaper(brush, random, width, height);
  brush.lineWidth = width / 20;
  brush.strokeStyle = hsl(random.below(360), 60, 35);
  brush.strokeRect(width * 0.06, height * 0.06, width * 0.88, height * 0.88);
}

const PAINTERS: Record<Paint, (brush: Brush, random: SeededRandom, width: number, height: number) => void> = {
  wallpaper,
  brick: bricks,
  planks,
  art,
  facade,
  asphalt,
  grass,
  rug,
  tiles: (brush, random, width, height) => slabs(brush, random, width, height, 48, random.below(360), 18),
  pavement: (brush, random, width, height) => slabs(brush, random, width, height, 40, 35, 8),
  roof: (brush, random, width, height) => slabs(brush, random, width, height, 64, 15, 20),
  ceiling: (brush, random, width, height) => slabs(brush, random, width, height, 90, 45, 14),
  wood: planks,
};

/** Paints a surface of the given pixels. The same seed gives the same picture. */
export function paintSurface(paint: Paint, seed: number, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const brush = canvas.getContext('2d');
  if (brush === null) throw new Error('this browser gives no 2D canvas');
  PAINTERS[paint](brush, seededRandom(seed), width, height);
  return canvas;
}

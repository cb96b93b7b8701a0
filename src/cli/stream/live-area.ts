import { stripVTControlCharacters } from 'node:util';

/** The part of a terminal that is written to. */
export interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Lines that stay, above a few that change. Where there is no terminal, only the lines that stay are written. */
export class LiveArea {
  private lines: string[] = [];

  constructor(private readonly terminal: Terminal) {}

  get width(): number {
    return Math.max(40, this.terminal.columns ?? 100);
  }

  /** Writes a line that stays. */
  print(line = ''): void {
    this.clear();
    this.terminal.write(`${line}\n`);
    this.draw();
  }

  /** Replaces the lines that change. */
  show(lines: readonly string[]): void {
    this.clear();
    this.lines = lines.map((line) => fit(line, this.width));
    this.draw();
  }

  private clear(): void {
    if (this.terminal.isTTY !== true || this.lines.length === 0) return;
    const up = this.lines.length > 1 ? `\x1b[${this.lines.length - 1}A` : '';
    this.terminal.write(`\r${up}\x1b[J`);
  }

  private draw(): void {
    if (this.terminal.isTTY === true) this.terminal.write(this.lines.join('\n'));
  }
}

/** A line that the terminal would wrap cannot be cleared, so it is cut; what colours it has are given up then. */
function fit(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length < width ? line : `${plain.slice(0, width - 2)}…`;
}

/** Words in lines of at most so many characters. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

import { describe, expect, it } from 'vitest';
import { StopScanner } from './stop-scanner.js';

/** Feeds `text` in pieces of `size` characters. */
function scan(text: string, stops: string[], size: number): { passed: string; stopped: boolean } {
  const scanner = new StopScanner(stops);
  let passed = '';
  for (let i = 0; i < text.length; i += size) {
    const step = scanner.push(text.slice(i, i + size));
    passed += step.text;
    if (step.stopped) return { passed, stopped: true };
  }
  return { passed: passed + scanner.flush(), stopped: false };
}

describe('StopScanner', () => {
  it.each([1, 2, 3, 5, 100])('stops before a stop text in pieces of %i characters', (size) => {
    expect(scan('turn left</answer> and more', ['</answer>'], size)).toEqual({
      passed: 'turn left',
      stopped: true,
    });
  });

  it.each([1, 2, 100])('passes everything on when a stop text only begins, in pieces of %i', (size) => {
    const text = 'a </answ </answe> b </answer';
    expect(scan(text, ['</answer>'], size)).toEqual({ passed: text, stopped: false });
  });

  it('finds a stop text that begins inside a failed beginning of itself', () => {
    expect(scan('aabaabaab!', ['aabaab!'], 1)).toEqual({ passed: 'aab', stopped: true });
  });

  it('stops at the earliest of several', () => {
    expect(scan('one two three', ['three', 'two'], 100)).toEqual({ passed: 'one ', stopped: true });
  });

  it('holds nothing back without stop texts and ignores empty ones', () => {
    expect(new StopScanner(['']).push('left')).toEqual({ text: 'left', stopped: false });
  });
});

import { styleText } from 'node:util';
import {
  Ack,
  Answer,
  Keyframe,
  Percept,
  ServerEvent,
  SessionClosed,
} from '../../../clients/typescript/src/index.js';
import { LiveArea, Terminal, wrapped } from './live-area.js';
import { StreamCommand } from './stream-options.js';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const CURVE = 24;
const TEXT_INDENT = ' '.repeat(25);
const THINKING_LINES = 6;

/** Shows a stream to a person: keyframes with what was perceived, the falling overlap, and the answer as it comes. */
export class StreamView {
  private readonly area: LiveArea;
  private readonly keyframes = new Map<string, Keyframe>();
  private readonly overlaps: (Ack | null)[] = [];
  private frames = 0;
  private kept = 0;
  private dropped = 0;
  private position = 0;
  private thinking = '';
  private note = '';

  constructor(
    terminal: Terminal,
    private readonly command: StreamCommand,
    private readonly durationMs: number | null,
  ) {
    this.area = new LiveArea(terminal);
  }

  begin(sessionId: string, server: string): void {
    const { video, fps, rate } = this.command;
    const speed = rate === 1 ? '' : `, ${rate} times as fast`;
    this.area.print(
      styleText('bold', video) + dim(`  ${fps} frame${fps === 1 ? '' : 's'} a second${speed} → ${server}`),
    );
    this.area.print(dim(`session ${sessionId}`));
    this.area.print();
  }

  asked(question: string, options: readonly string[]): void {
    const letters = options.map((option, i) => `${String.fromCharCode(65 + i)}. ${option}`).join('   ');
    this.area.print();
    this.area.print(styleText('cyan', '? ') + styleText('bold', question));
    if (letters !== '') this.area.print(dim(`  ${letters}`));
    this.refresh();
  }

  hear({ event, data }: ServerEvent): void {
    if (event === 'ack') this.ack(data);
    else if (event === 'keyframe') this.keyframes.set(data.id, data);
    else if (event === 'percept') this.percept(data);
    else if (event === 'answer.delta' && data.part === 'thinking') this.thinking += data.text;
    else if (event === 'answer.wait')
      this.note = `${data.decision}: ${data.candidate ?? 'no answer yet'} (${percent(data.confidence)} sure)`;
    else if (event === 'throttle') this.dropped += data.dropped.length;
    else if (event === 'error') this.area.print(styleText('red', `✗ ${data.detail}`));
    this.refresh();
  }

  answered(answer: Answer): void {
    const { rightAnswer } = this.command;
    for (const line of wrapped(answer.thinking, this.area.width - 4)) this.area.print(dim(`  ${line}`));
    const said = answer.answer_text === null ? answer.answer : `${answer.answer}. ${answer.answer_text}`;
    this.thinking = this.note = '';
    this.area.show([]);
    this.area.print(
      styleText('green', '→ ') + styleText('bold', String(said ?? `no answer: ${answer.problem}`)),
    );
    const evidence = answer.evidence_keyframe_ids
      .map((id) => this.keyframes.get(id))
      .filter((keyframe) => keyframe !== undefined)
      .map((keyframe) => clock(keyframe.timestamp_ms));
    const facts = [
      `seen until ${clock(answer.seen_until_ms)}`,
      evidence.length === 0 ? null : `from ${evidence.join(', ')}`,
      answer.confidence === null ? null : `${percent(answer.confidence)} sure`,
      `${((answer.timings_ms.total ?? answer.timings_ms.reason ?? 0) / 1000).toFixed(1)} s`,
      answer.policy_version,
      rightAnswer === null ? null : `the clip says ${rightAnswer}`,
    ];
    this.area.print(dim(`  ${facts.filter((fact) => fact !== null).join(' · ')}`));
  }

  unanswered(reason: string): void {
    this.area.print(styleText('yellow', `→ ${reason}`));
  }

  ended({ frame_count: frames, keyframe_count: keyframes }: SessionClosed): void {
    this.area.show([]);
    this.area.print();
    const lost = this.dropped === 0 ? '' : `, ${this.dropped} dropped`;
    this.area.print(dim(`${frames} frames, ${keyframes} keyframes${lost}`));
  }

  private ack(ack: Ack): void {
    this.frames++;
    if (ack.kept) this.kept++;
    this.position = ack.timestamp_ms;
    this.overlaps.push(ack);
    if (this.overlaps.length > CURVE) this.overlaps.shift();
  }

  private percept({ keyframe_id: id, timestamp_ms: timeMs, actions, text }: Percept): void {
    const keyframe = this.keyframes.get(id);
    const overlap = keyframe?.overlap_ratio ?? null;
    const why = overlap === null ? (keyframe?.reason ?? '') : `overlap ${percent(overlap)}`;
    const moved = actions.map(({ action, degrees }) => (degrees === null ? action : `${action} ${degrees}°`));
    const head = `${clock(timeMs).padStart(7)}  ${styleText('yellow', '●')} ${why.replace('_', ' ').padEnd(14)}`;
    const lines = wrapped(text, this.area.width - TEXT_INDENT.length - 1);
    if (moved.length > 0) lines.unshift(styleText('magenta', moved.join(', ')));
    lines.forEach((line, i) => this.area.print((i === 0 ? head : TEXT_INDENT) + line));
  }

  private refresh(): void {
    const total = this.durationMs === null ? '' : ` / ${clock(this.durationMs)}`;
    const counts = `${this.frames} frames, ${this.kept} keyframes`;
    const status = `${clock(this.position)}${total}  ${this.curve()}  ${counts}`;
    const thinking = wrapped(this.thinking, this.area.width - 4).slice(-THINKING_LINES);
    this.area.show([
      ...thinking.map((line) => dim(`  ${line}`)),
      ...(this.note === '' ? [] : [dim(`  ${this.note}`)]),
      dim(status),
    ]);
  }

  /** The overlap with the last keyframe, frame by frame: it falls until the eye jumps. */
  private curve(): string {
    const bars = this.overlaps.map((ack) => {
      if (ack === null || ack.overlap_ratio === null) return '·';
      return BARS[Math.min(BARS.length - 1, Math.floor(ack.overlap_ratio * BARS.length))]!;
    });
    return bars.join('').padStart(CURVE);
  }
}

function dim(text: string): string {
  return styleText('dim', text);
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `0:04.5` */
function clock(ms: number): string {
  const tenths = Math.round(ms / 100);
  const seconds = (tenths % 600) / 10;
  return `${Math.floor(tenths / 600)}:${seconds.toFixed(1).padStart(4, '0')}`;
}

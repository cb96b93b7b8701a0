import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadSettings } from '../../src/config/load-settings.js';
import { startServer } from '../../src/server.js';

/** What the measured server is asked. */
export type ServerRequest = 'reset' | 'measure' | 'stop';

/** What it answers. */
export interface ServerFigures {
  rssMb: number;
  heapMb: number;
  loopDelayP99Ms: number;
  /** Of all threads, in cores, since the reset. */
  cpuCores: number;
  handles: number;
  /** How many of each kind. */
  handleKinds: Record<string, number>;
}

export type ServerReply = { url: string } | { figures: ServerFigures };

// A server in a process of its own, so that its memory and its event loop are measured alone.
const server = await startServer(loadSettings(process.env));
const delay = monitorEventLoopDelay({ resolution: 5 });
let since = performance.now();
let cpu = process.cpuUsage();
delay.enable();

const figures = (): ServerFigures => {
  const memory = process.memoryUsage();
  const { user, system } = process.cpuUsage(cpu);
  return {
    rssMb: memory.rss / 1048576,
    heapMb: memory.heapUsed / 1048576,
    loopDelayP99Ms: delay.percentile(99) / 1e6 - 5, // the timer's own resolution is part of it
    cpuCores: (user + system) / 1000 / (performance.now() - since),
    handles: process.getActiveResourcesInfo().length,
    handleKinds: countKinds(process.getActiveResourcesInfo()),
  };
};

function countKinds(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

process.on('message', (request: ServerRequest) => {
  if (request === 'stop') void server.close().then(() => process.exit(0));
  if (request === 'reset') {
    delay.reset();
    cpu = process.cpuUsage();
    since = performance.now();
  }
  if (request === 'measure') process.send!({ figures: figures() } satisfies ServerReply);
});
process.send!({ url: server.url } satisfies ServerReply);

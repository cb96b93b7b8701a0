import { loadSettings } from '../../config/load-settings.js';
import { startServer } from '../../server.js';

export interface ReachedServer {
  /** Such as `ws://127.0.0.1:3000/stream`. */
  url: string;
  /** Stops it, if it was started for this. */
  close: () => Promise<void>;
}

/** The given server; or the one on this machine; or one that is started for this run, when there is none. */
export async function reachServer(url: string | null, say: (line: string) => void): Promise<ReachedServer> {
  const leave = async () => undefined;
  if (url !== null) return { url, close: leave };
  const settings = loadSettings(process.env);
  const here = `http://127.0.0.1:${settings.port}`;
  const runs = await fetch(`${here}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (runs) return { url: streamUrl(here), close: leave };
  say(`No server on ${here}: starting one for this run. \`npm start\` keeps one running.`);
  const started = await startServer(Object.assign(settings, { port: 0, logLevel: 'error' }));
  return { url: streamUrl(started.url), close: started.close };
}

function streamUrl(httpUrl: string): string {
  return `${httpUrl.replace(/^http/, 'ws')}/stream`;
}

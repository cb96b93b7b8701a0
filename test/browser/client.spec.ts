import { createServer, Server } from 'node:http';
import { readFileSync } from 'node:fs';
import { AddressInfo } from 'node:net';
import { join, basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { buildClient, CLIENT_FOLDER } from '../support/built-client.js';
import { BreakableProxy } from '../support/breakable-proxy.js';
import { hasChromium, openBrowser } from '../support/browser.js';
import { runFfmpeg } from '../support/make-videos.js';
import { SAMPLE_CLIP, startTestServer, TestServer } from '../support/running-server.js';
import { folderForFile } from '../support/temporary-folder.js';

/** The README's page: a camera in the browser. */
const EXAMPLE = /```js\n([\s\S]*?)```/.exec(readFileSync(join(CLIENT_FOLDER, 'README.md'), 'utf8'))![1]!;
const README_URL = 'ws://127.0.0.1:3000/stream';

describe.skipIf(!hasChromium)('the client in a browser', () => {
  const folder = folderForFile();
  let saccade: TestServer;
  let proxy: BreakableProxy;
  let pages: Server;
  let browser: Browser;
  let page: Page;
  let told: string[];
  let arrived: () => void;

  beforeAll(async () => {
    const camera = join(folder, 'camera.y4m');
    // Twice as fast, so that a picture each half second is one each second of the clip.
    const faster = ['-vf', 'setpts=PTS/2,fps=8,scale=640:360', '-pix_fmt', 'yuv420p'];
    await runFfmpeg('-i', fileURLToPath(SAMPLE_CLIP), ...faster, camera);
    expect(buildClient(join(folder, 'client')).problems).toEqual([]);
    saccade = await startTestServer();
    proxy = await BreakableProxy.start(() => new URL(saccade.url).port);
    pages = createServer((request, response) => {
      const path = request.url!;
      if (path.startsWith('/client/')) {
        response.setHeader('content-type', 'text/javascript');
        response.end(readFileSync(join(folder, 'client', basename(path))));
      } else {
        response.setHeader('content-type', 'text/html');
        response.end(html(EXAMPLE.replace(README_URL, `${proxy.url.replace('http', 'ws')}/stream`)));
      }
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await openBrowser({ camera });
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await proxy?.stop();
    await saccade?.close();
  });
  beforeEach(async () => {
    told = [];
    arrived = () => undefined;
    page = await browser.newPage();
    onTestFinished(() => page.close());
    const tell = (line: string) => {
      told.push(line);
      arrived();
    };
    page.on('console', (message) => tell(message.text()));
    page.on('pageerror', (error) => tell(`error: ${error.message}`));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  });

  const lines = (start: string) => told.filter((line) => line.startsWith(start));
  /** Until so many lines begin so, or the page fails. */
  async function until(start: string, count: number): Promise<void> {
    while (lines(start).length < count) {
      expect(lines('error')).toEqual([]);
      await new Promise<void>((resolve) => (arrived = resolve));
    }
  }

  it('runs the example of its README on a camera', async () => {
    await until('I see', 5);
    await page.click('button');
    await until('answer', 1);
    await until('closed', 1);
    expect(lines('error')).toEqual([]);
    expect(lines('thinking').length).toBeGreaterThan(3);
    expect(lines('answer')[0]).toMatch(/^answer (left|right|not at all) [1-9]/);
  });

  it('goes on after its connection broke', async () => {
    await until('I see', 2);
    proxy.breakAll();
    await until('I see', 5);
    await page.click('button');
    await until('closed', 1);
    expect(lines('answer')).toHaveLength(1);
    const { items } = (await (await fetch(`${saccade.url}/sessions`)).json()) as {
      items: { keyframe_count: number; state: string }[];
    };
    // No percept twice, and none lost: each that was stored was told, but for those told into the broken connection.
    expect(items[0]!.state).toBe('finished');
    expect(items[0]!.keyframe_count).toBeGreaterThanOrEqual(lines('I see').length);
  });
});

const html = (example: string) => `<!doctype html>
<link rel="icon" href="data:,">
<video muted playsinline></video><button>ask</button>
<script type="importmap">{ "imports": { "@saccade/client": "/client/index.js" } }</script>
<script type="module">
${example}
console.log('closed');
</script>`;

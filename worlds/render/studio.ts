import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { type Pose } from './camera-path.js';
import { type CameraLens } from './camera-lens.js';
import { type ScenePlan } from './scene/scene-plan.js';
import { type TruthImage } from './truth/truth-image.js';

const FURNITURE_ARCHIVE = '/usr/share/sweethome3d/furniture/BlendSwap-CC-0.sh3f';
const ORIGIN = 'http://studio.invalid';

/** SwiftShader draws on the CPU, alike on every machine; the rest keeps the browser from calling out. */
const BROWSER_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const PAGE = `<!doctype html><script type="importmap">{"imports":{
  "three":"/node_modules/three/build/three.module.js",
  "three/addons/":"/node_modules/three/examples/jsm/"}}</script>
  <script type="module" src="/dist/worlds/render/page/stage.js"></script>`;

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
};

export interface Shot {
  png: Buffer;
  truth: TruthImage;
}

/** A headless browser that draws scenes. Every request is answered from disk; nothing reaches a network. */
export class Studio {
  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
    private readonly lens: CameraLens,
    private readonly furnitureFolder: string,
  ) {}

  static async open(projectRoot: string, lens: CameraLens): Promise<Studio> {
    const folder = await mkdtemp(path.join(tmpdir(), 'saccade-furniture-'));
    await promisify(execFile)('unzip', ['-q', FURNITURE_ARCHIVE, '-d', folder]);
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: BROWSER_FLAGS,
    });
    const page = await browser.newPage();
    page.on('pageerror', (error) => process.stderr.write(`page: ${error.message}\n`));
    page.on('console', (message) => {
      if (message.type() === 'error')
        process.stderr.write(`page: ${message.text()} ${message.location().url}\n`);
    });
    await page.route('**/*', (route) => answer(route, projectRoot, folder));
    await page.goto(`${ORIGIN}/`);
    await page.waitForFunction('window.openStage !== undefined');
    return new Studio(browser, page, lens, folder);
  }

  async setScene(plan: ScenePlan): Promise<void> {
    await this.page.evaluate(([scene, lens]) => window.openStage(scene, lens), [plan, this.lens] as const);
  }

  async shoot(pose: Pose): Promise<Shot> {
    const data = await this.page.evaluate((at) => window.shoot(at), pose);
    const bytes = Buffer.from(data.truth, 'base64');
    const packed = new Float32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
    return {
      png: Buffer.from(data.png, 'base64'),
      truth: { width: this.lens.truthWidth, height: this.lens.truthHeight, packed },
    };
  }

  async close(): Promise<void> {
    await this.browser.close();
    await rm(this.furnitureFolder, { recursive: true, force: true });
  }
}

async function answer(route: Route, projectRoot: string, furnitureFolder: string): Promise<void> {
  const { pathname } = new URL(route.request().url());
  if (pathname === '/') return await route.fulfill({ contentType: 'text/html', body: PAGE });
  const file = pathname.startsWith('/furniture/')
    ? path.join(furnitureFolder, 'blendswap-cc-0', decodeURIComponent(pathname.slice('/furniture/'.length)))
    : path.join(projectRoot, decodeURIComponent(pathname));
  try {
    await route.fulfill({
      contentType: CONTENT_TYPES[path.extname(file)] ?? 'text/plain',
      body: await readFile(file),
    });
  } catch {
    await route.fulfill({ status: 404, body: '' });
  }
}

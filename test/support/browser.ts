import { existsSync } from 'node:fs';
import { Browser, chromium } from 'playwright-core';

export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Tests in a browser are left out where there is none; the continuous integration installs it. */
export const hasChromium = existsSync(CHROMIUM);

/** @param camera a video, in a form that Chromium plays as a camera, over and over */
export function openBrowser({ camera }: { camera?: string } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      ...(camera === undefined
        ? []
        : [
            '--use-fake-ui-for-media-stream',
            '--use-fake-device-for-media-stream',
            `--use-file-for-fake-video-capture=${camera}`,
          ]),
    ],
  });
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envExample, settingsTable } from './describe-settings.js';
import { loadSettings, SettingsError } from './load-settings.js';

describe('loadSettings', () => {
  it('runs on defaults alone', () => {
    const settings = loadSettings({});
    expect(settings.port).toBe(3000);
    expect(settings.host).toBe('127.0.0.1');
    expect(settings.databaseUrl).toBeUndefined();
  });

  it('treats an empty value as not set', () => {
    expect(loadSettings({ PORT: ' ', DATABASE_URL: '' }).port).toBe(3000);
  });

  it('parses numbers and booleans', () => {
    const settings = loadSettings({ PORT: '0', SAMPLE_FPS: '2.5', ALLOW_PRIVATE_VIDEO_URLS: 'yes' });
    expect([settings.port, settings.sampleFps, settings.allowPrivateVideoUrls]).toEqual([0, 2.5, true]);
  });

  it.each([
    [{ PORT: 'http' }, /^PORT is "http": .*integer/],
    [{ PORT: '70000' }, /^PORT is "70000": it must not be greater than 65535/],
    [{ PERCEIVER: 'magic' }, /^PERCEIVER is "magic": it must be one of the following values: local, openai/],
    [{ PERCEIVER: 'openai' }, /^VLM_BASE_URL is not set: it must be an http/],
    [{ ALLOW_PRIVATE_VIDEO_URLS: 'maybe' }, /^ALLOW_PRIVATE_VIDEO_URLS is "maybe": it must be a boolean/],
    [{ LM_TEMPERATURE: 'NaN' }, /^LM_TEMPERATURE is "NaN"/],
  ])('refuses %o in one line', (environment, message) => {
    expect(() => loadSettings(environment)).toThrow(SettingsError);
    expect(() => loadSettings(environment)).toThrow(message);
    expect(() => loadSettings(environment)).not.toThrow(/\n/);
  });

  it('never shows a secret', () => {
    const secret = 'mysql://root:hunter2@db/x';
    expect(() => loadSettings({ DATABASE_URL: secret })).toThrow(/^DATABASE_URL is wrong/);
    expect(() => loadSettings({ DATABASE_URL: secret })).not.toThrow(/hunter2/);
  });
});

describe('the settings documents', () => {
  it('.env.example lists every setting as the class declares it', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
  });

  it('docs/configuration.md holds the same table', () => {
    expect(readFileSync('docs/configuration.md', 'utf8')).toContain(settingsTable());
  });
});

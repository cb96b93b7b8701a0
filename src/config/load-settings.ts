import { existsSync } from 'node:fs';
import { validateSync, ValidationError } from 'class-validator';
import { SettingMeta, settingsOf } from './setting.js';
import { Settings } from './settings.js';

/** Why the start is refused: one line that names the variable, its problem and what is allowed. */
export class SettingsError extends Error {}

/** Reads `.env` beside the process, if there is one; variables that are already set win. */
export function readEnvFile(path = '.env'): void {
  if (existsSync(path)) process.loadEnvFile(path);
}

/**
 * Settings from environment variables, with defaults for those that are missing or empty.
 * @throws SettingsError when a value is not allowed
 */
export function loadSettings(environment: Record<string, string | undefined>): Settings {
  const settings = new Settings();
  for (const meta of settingsOf(Settings)) {
    const raw = environment[meta.variable]?.trim();
    if (raw !== undefined && raw !== '') Object.assign(settings, { [meta.property]: parse(meta, raw) });
  }
  const errors = validateSync(settings, { skipMissingProperties: false });
  if (errors.length > 0) throw new SettingsError(describe(errors[0]!, environment));
  return settings;
}

function parse(meta: SettingMeta, raw: string): string | number | boolean {
  if (meta.kind === 'number') return Number(raw);
  if (meta.kind === 'boolean') {
    if (['true', '1', 'yes', 'on'].includes(raw.toLowerCase())) return true;
    if (['false', '0', 'no', 'off'].includes(raw.toLowerCase())) return false;
  }
  return raw;
}

function describe(error: ValidationError, environment: Record<string, string | undefined>): string {
  const meta = settingsOf(Settings).find((setting) => setting.property === error.property)!;
  const given = environment[meta.variable];
  const shown = given === undefined ? 'is not set' : meta.secret ? 'is wrong' : `is "${given}"`;
  const allowed = Object.values(error.constraints ?? {})
    .map((constraint) => constraint.replaceAll(error.property, 'it').replaceAll(`${meta.variable} `, 'it '))
    .join('; ');
  return `${meta.variable} ${shown}: ${allowed}. It means: ${meta.meaning}.`;
}

import { SettingMeta, settingsOf } from './setting.js';
import { Settings } from './settings.js';

function defaultText(meta: SettingMeta): string {
  const value: unknown = Reflect.get(new Settings(), meta.property);
  return value === undefined ? '' : String(value);
}

/** The text of `.env.example`: every setting, its default and one line of meaning. */
export function envExample(): string {
  const lines = settingsOf(Settings).map(
    (meta) => `# ${meta.meaning}\n${meta.variable}=${defaultText(meta)}\n`,
  );
  return `# Every setting of Saccade with its default. Copy to .env and change what you need.\n\n${lines.join('\n')}`;
}

/** The table of docs/configuration.md. */
export function settingsTable(): string {
  const rows = settingsOf(Settings).map(
    (meta) =>
      `| \`${meta.variable}\` | ${defaultText(meta) === '' ? '–' : `\`${defaultText(meta)}\``} | ${meta.meaning} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

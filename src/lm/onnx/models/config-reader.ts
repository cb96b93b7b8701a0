import { SaccadeError } from '../../../errors/saccade-error.js';

export function unsupported(field: string, message: string): SaccadeError {
  return new SaccadeError('unsupported', 'unsupported_model', message, { field });
}

/** Typed look-ups in untrusted JSON. */
export class ConfigReader {
  private readonly values: Map<string, unknown>;

  constructor(json: unknown) {
    if (json === null || typeof json !== 'object')
      throw unsupported('config.json', 'config.json is not a JSON object.');
    this.values = new Map(Object.entries(json));
  }

  number(key: string, fallback?: number): number {
    const value = this.values.get(key) ?? fallback;
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw unsupported(key, `config.json needs a number for ${key}.`);
    return value;
  }

  optionalNumber(key: string): number | null {
    return (this.values.get(key) ?? null) === null ? null : this.number(key);
  }

  count(key: string, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!Number.isInteger(value) || value < 1)
      throw unsupported(key, `config.json needs a whole number of at least 1 for ${key}, not ${value}.`);
    return value;
  }

  text(key: string, fallback: string): string {
    const value = this.values.get(key) ?? fallback;
    return String(value);
  }

  flag(key: string, fallback: boolean): boolean {
    return Boolean(this.values.get(key) ?? fallback);
  }

  list(key: string): unknown[] {
    const value = this.values.get(key);
    return Array.isArray(value) ? value : [];
  }

  section(key: string): ConfigReader | null {
    const value = this.values.get(key);
    return value === undefined || value === null ? null : new ConfigReader(value);
  }
}

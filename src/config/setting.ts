import 'reflect-metadata';

export interface SettingMeta {
  /** Property on the settings class. */
  property: string;
  /** Environment variable. */
  variable: string;
  /** One line of meaning, for `.env.example` and docs/configuration.md. */
  meaning: string;
  secret: boolean;
  kind: 'number' | 'boolean' | 'string';
}

const KEY = Symbol('saccade:settings');

/** `sampleFps` → `SAMPLE_FPS`. */
export function variableName(property: string): string {
  return property.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

/** Marks a property as a setting read from the environment variable of the same name in capitals. */
export function Setting(
  meaning: string,
  options: { secret?: boolean; kind?: 'number' | 'boolean' } = {},
): PropertyDecorator {
  return (target, property) => {
    const name = String(property);
    const list: SettingMeta[] = Reflect.getOwnMetadata(KEY, target) ?? [];
    list.push({
      property: name,
      variable: variableName(name),
      meaning,
      secret: options.secret ?? false,
      kind: options.kind ?? 'string',
    });
    Reflect.defineMetadata(KEY, list, target);
  };
}

/** Every setting of the class and of those it extends, its own first, in the order they are declared. */
export function settingsOf(type: { prototype: object }): readonly SettingMeta[] {
  const settings: SettingMeta[] = [];
  for (let of: object | null = type.prototype; of !== null; of = Object.getPrototypeOf(of) as object | null)
    settings.push(...((Reflect.getOwnMetadata(KEY, of) as SettingMeta[] | undefined) ?? []));
  return settings;
}

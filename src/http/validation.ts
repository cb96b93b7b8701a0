import { plainToInstance } from 'class-transformer';
import { validateSync, ValidationError } from 'class-validator';
import { SaccadeError } from '../errors/saccade-error.js';

/**
 * A validated instance of a DTO from an untrusted body.
 * @throws SaccadeError that names the first wrong field and what is allowed
 */
export function validated<T extends object>(type: new () => T, body: unknown): T {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new SaccadeError('input', 'invalid_body', 'A JSON object or a form is wanted.');
  }
  const dto = plainToInstance(type, body);
  const errors = validateSync(dto, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
  });
  if (errors.length > 0) throw toSaccadeError(errors);
  return dto;
}

function toSaccadeError(errors: ValidationError[]): SaccadeError {
  const { field, detail } = flatten(errors)[0]!;
  return new SaccadeError('input', 'invalid_field', `${detail.replace(/\.$/, '')}.`, { field });
}

function flatten(errors: ValidationError[], prefix = ''): { field: string; detail: string }[] {
  return errors.flatMap((error) => {
    const name = /^\d+$/.test(error.property)
      ? `${prefix}[${error.property}]`
      : prefix === ''
        ? error.property
        : `${prefix}.${error.property}`;
    const own = Object.values(error.constraints ?? {}).map((detail) => ({ field: name, detail }));
    return [...own, ...flatten(error.children ?? [], name)];
  });
}

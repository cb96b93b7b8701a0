import { ParseUUIDPipe } from '@nestjs/common';
import { SaccadeError } from '../errors/saccade-error.js';

/** An `:id` of a path; refuses what is no UUID before the database is asked. */
export const UuidParam = new ParseUUIDPipe({
  exceptionFactory: () =>
    new SaccadeError('input', 'invalid_id', 'The id in the address must be a UUID.', { field: 'id' }),
});

import { SaccadeError } from '../errors/saccade-error.js';

export function noSuchSession(id: string): SaccadeError {
  return new SaccadeError('not_found', 'no_such_session', `There is no session ${id}.`, {
    field: 'session_id',
  });
}

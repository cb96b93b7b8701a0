import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Whom PostgreSQL runs as; null stands for the current user. */
export interface PostgresUser {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root hands it to `postgres`, or to `nobody` where that user is missing.
 * No user is created: starting a server should not change the machine's accounts.
 */
export function postgresUser(): PostgresUser | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody']
    .map((name) => accounts.find((fields) => fields[0] === name))
    .find((found) => found !== undefined);
  if (account === undefined)
    throw new Error(
      'PostgreSQL cannot run as root and this machine has neither a postgres nor a nobody user. Start as an ordinary user, or set DATABASE_URL.',
    );
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/** Whether `user` can enter every folder down to `path`; a home folder of root, for one, is closed to others. */
export function canReach(user: PostgresUser, path: string): boolean {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

import { SaccadeError } from '../errors/saccade-error.js';
import { Prisma } from './generated/client.js';

/** Prisma's codes for a server that cannot be reached, answers too late, or closed the connection. */
const CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024']);
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);

/** The error as one that callers may retry, when what failed is the way to the database; null when it is anything else. */
export function unreachableDatabase(error: unknown): SaccadeError | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  const driver = error.meta?.driverAdapterError;
  const cause =
    driver instanceof Error ? (driver.cause as { kind?: string; originalCode?: string }) : undefined;
  // SQLSTATE classes: 08 connection exception, 57P operator intervention such as a shutdown.
  const isAway =
    CODES.has(error.code) || KINDS.has(cause?.kind ?? '') || /^(08|57P)/.test(cause?.originalCode ?? '');
  if (!isAway) return null;
  return new SaccadeError(
    'overloaded',
    'database_unreachable',
    'The database does not answer. Try again in a moment; the operator finds the cause in the log.',
    { upstream: 'database', cause: error },
  );
}

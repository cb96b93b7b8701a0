/** Why the server closes a connection; docs/protocol.md, "Limits". */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  internal: 1011,
  tooManyErrors: 4400,
  notAllowed: 4401,
  noSuchSession: 4404,
  idle: 4408,
  takenOver: 4409,
  tooOld: 4410,
  slowReader: 4413,
  rateExceeded: 4429,
  serverFull: 4503,
} as const;

export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

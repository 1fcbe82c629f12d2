import { randomBytes } from 'node:crypto'

/** A new secret of 192 random bits, with no sign that a shell or an address would take for its own. */
export const madeUp = (prefix: 'tm' | 'tmk'): string =>
  `${prefix}_${randomBytes(24).toString('base64url').replace(/[_-]/g, 'x')}`

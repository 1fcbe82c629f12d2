import { randomBytes } from 'node:crypto'

/** Generates a secret of 192 random bits, without characters that are special in a shell or a URL. */
export const generateSecret = (prefix: 'tm' | 'tmk'): string =>
  `${prefix}_${randomBytes(24).toString('base64url').replace(/[_-]/g, 'x')}`

import { hash } from 'node:crypto'

const DIGITS = 15
// 15 hex digits `f`, rounded as a double.
const MAX = 2 ** 60

/** Salt for variants, so that the variant is independent of the rollout. */
export const VARIANT_SALT = 'variant'

/**
 * Returns the position of an identifier between 0 and 1 for a flag. It is the same in every SDK and service of this
 * protocol. Computed as the first 15 hex digits of sha1(`key.identifier` + salt), divided by their maximum.
 */
export const shareOf = (key: string, identifier: string, salt = ''): number =>
  Number(`0x${hash('sha1', `${key}.${identifier}${salt}`).slice(0, DIGITS)}`) / MAX

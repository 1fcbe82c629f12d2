import { hash } from 'node:crypto'

const DIGITS = 15
// 15 hex digits `f`, rounded as a double.
const MAX = 2 ** 60

/** The salt that shares people out among variants, so that it says nothing about who is in the rollout. */
export const VARIANT_SALT = 'variant'

/**
 * Where somebody stands between 0 and 1 for a flag: the same in every SDK and service of this protocol, for ever.
 * The first 15 hex digits of sha1(`key.identifier` + salt), as a share of the most they can be.
 */
export const shareOf = (key: string, identifier: string, salt = ''): number =>
  Number(`0x${hash('sha1', `${key}.${identifier}${salt}`).slice(0, DIGITS)}`) / MAX

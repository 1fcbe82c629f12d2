import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUuid } from '../lib/uuid.ts'

/** A token that reads a share for some minutes. */
export interface View {
  readonly share: string
  /** Time at which the reader opened the share, in ms since the epoch. */
  readonly openedAt: number
  /** Expiry, in ms since the epoch. */
  readonly until: number
}

/** Key that signs the views of a share. A new token or password of the share ends all views. */
export interface ViewKey {
  /** Secret of the project. */
  readonly secret: string
  /** Value that changes with the share's token and password. */
  readonly generation: string
}

const PREFIX = 'tmv_'

const macOf = (signed: string, { secret, generation }: ViewKey): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['view of a share', generation, signed]))
    .digest()

/** Returns the token of a view. */
export const signView = ({ share, openedAt, until }: View, key: ViewKey): string => {
  const signed = `${share}.${openedAt}.${until}`
  return `${PREFIX}${signed}.${macOf(signed, key).toString('base64url')}`
}

/** Returns the claims of a token, unverified. `undefined`: the token does not belong to a view. */
export const parseView = (token: string): (View & { readonly signed: string; readonly mac: string }) | undefined => {
  if (!token.startsWith(PREFIX) || token.length > 200) return undefined
  const [share, openedAt, until, mac, ...more] = token.slice(PREFIX.length).split('.')
  if (!isUuid(share) || !/^\d{13}$/.test(openedAt ?? '') || !/^\d{13}$/.test(until ?? '') || !mac || more.length)
    return undefined
  return { share, openedAt: Number(openedAt), until: Number(until), signed: `${share}.${openedAt}.${until}`, mac }
}

/** Whether a parsed token was signed with the key. */
export const isSigned = ({ signed, mac }: { readonly signed: string; readonly mac: string }, key: ViewKey): boolean => {
  const right = macOf(signed, key)
  const given = Buffer.from(mac, 'base64url')
  // Compared as text too: the same bytes have several encodings.
  return given.length === right.length && timingSafeEqual(given, right) && mac === right.toString('base64url')
}

import { randomBytes } from 'node:crypto'
import { START_KEYS } from '../projects/keys.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

export const LINK_MINUTES = 15

/** Generates the secret of a link or a session, of 256 random bits. Logs redact its format (`lib/log.ts`). */
export const newSecret = (): string => `tmc_${randomBytes(32).toString('hex')}`

export interface ConsoleLink {
  /** The secret is in the fragment, which browsers send to no server. */
  readonly url: string
  readonly expires_at: string
}

/** Returns the key that links belong to by default: the one of the service's start. Absent: it was revoked. */
export const startKey = <Key extends { readonly label: string }>(keys: readonly Key[]): Key | undefined =>
  keys.find(({ label }) => label === START_KEYS.given) ?? keys.find(({ label }) => label === START_KEYS.generated)

/** Creates a link that opens the console once, with the rights of a key. Resolves with `undefined` if the key is gone. */
export const createLink = async (
  { console }: Pick<Metadata, 'console'>,
  { consoleUrl, keyId }: { consoleUrl: string; keyId: string },
): Promise<ConsoleLink | undefined> => {
  const secret = newSecret()
  const expiresAt = new Date(Date.now() + LINK_MINUTES * 60_000).toISOString()
  const isCreated = await console.createLink({ secret, keyId, expiresAt })
  return isCreated ? { url: `${consoleUrl}#t=${secret}`, expires_at: expiresAt } : undefined
}

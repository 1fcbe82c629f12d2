import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import type { ApiKey, ConsoleSession, Metadata } from '../storage/metadata/metadata.ts'
import { createAttempts } from './attempts.ts'
import { newSecret } from './links.ts'

const HOUR_MS = 3_600_000
/** A session ends when it was not used for this long. */
const MAX_IDLE_MS = 12 * HOUR_MS
/** A session ends at this age, however much it is used. */
export const MAX_AGE_MS = 30 * 24 * HOUR_MS
// The time of last use is updated at most this often, not with each request.
const TOUCH_MS = 5 * 60_000

/** What a person signs in with: the secret of a one-time link, or of a personal API key. */
export type Credential = { readonly token: string } | { readonly key: string }

/** A session as the API shows it. */
export interface SessionView {
  readonly key: Pick<ApiKey, 'id' | 'label' | 'scopes'> & { readonly scoped_teams: readonly number[] | null }
  readonly expires_at: string
  /** Id of this service in the names of its cookies. */
  readonly instance: string
}

export interface FoundSession {
  readonly key: ApiKey
  readonly view: SessionView
}

export interface ConsoleSessions {
  /** Starts a session. Throws `ApiError` if the credential is not valid, or after too many failed attempts. */
  start(credential: Credential, client: string): Promise<{ readonly secret: string; readonly view: SessionView }>
  /** Finds a session that has not ended, and records its use. */
  find(secret: string): Promise<FoundSession | undefined>
  end(secret: string): Promise<void>
}

export interface SessionDependencies {
  readonly metadata: Pick<Metadata, 'console' | 'keys'>
  readonly instance: string
  readonly log: Log
  readonly now?: () => number
}

/** Creates the operations on sessions of the console. */
export const createConsoleSessions = ({
  metadata: { console, keys },
  instance,
  log,
  now = Date.now,
}: SessionDependencies): ConsoleSessions => {
  const attempts = createAttempts(now)
  const isoAgo = (ms: number) => new Date(now() - ms).toISOString()

  const endOf = ({ createdAt, usedAt }: ConsoleSession): number =>
    Math.min(Date.parse(usedAt) + MAX_IDLE_MS, Date.parse(createdAt) + MAX_AGE_MS)

  const toView = (session: ConsoleSession): SessionView => {
    const { id, label, scopes, projectId } = session.key
    return {
      key: { id, label, scopes, scoped_teams: projectId === undefined ? null : [projectId] },
      expires_at: new Date(endOf(session)).toISOString(),
      instance,
    }
  }

  return {
    async start(credential, client) {
      const succeed = attempts.begin(client)
      const secret = newSecret()
      const session =
        'token' in credential
          ? await console.startByLink(credential.token, secret)
          : await console.startByKey(credential.key, secret)
      // One message for every reason, so that it does not reveal which links and keys exist.
      if (!session) throw new ApiError('sign_in_failed')
      succeed()
      // After a success only, so that a flood of wrong credentials writes nothing.
      await console.deleteExpired({ usedBefore: isoAgo(MAX_IDLE_MS), createdBefore: isoAgo(MAX_AGE_MS) })
      log('Signed in to the console', { key: session.key.id, label: session.key.label })
      return { secret, view: toView(session) }
    },
    async find(secret) {
      const session = await console.session(secret)
      if (!session || endOf(session) <= now()) return undefined
      const usedAt = new Date(now()).toISOString()
      // Sessions stay valid when the store is read-only, such as with a full disk.
      if (now() - Date.parse(session.usedAt) >= TOUCH_MS)
        Promise.all([console.touch(secret, usedAt), keys.touch(session.key.id, usedAt)]).catch(() => {})
      return { key: session.key, view: toView(session) }
    },
    end: (secret) => console.end(secret),
  }
}

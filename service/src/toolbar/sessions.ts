import { randomBytes } from 'node:crypto'
import { createAttempts } from '../console/attempts.ts'
import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import type { ApiKey, Metadata, Project } from '../storage/metadata/metadata.ts'
import { createRequestLimit } from './requestLimit.ts'
import type { ToolbarSession, ToolbarStore } from './store.ts'

/** A code ends at this age. */
const CODE_MS = 60_000
/** A session ends when it was not used for this long. */
const MAX_IDLE_MS = 15 * 60_000
/** A session ends at this age, however much it is used. */
export const MAX_AGE_MS = 8 * 3_600_000
// The time of last use is updated at most this often, not with each request.
const TOUCH_MS = 30_000
/** Maximum requests of one session per minute. */
export const MAX_REQUESTS_PER_MINUTE = 240
/** The scope that a key needs for a session. Each read needs its own in addition. */
const NEEDED_SCOPE = 'project:read'

/** A link that opens the toolbar on a site, once. */
export interface ToolbarCode {
  readonly code: string
  /** URL of the page. The code is in the fragment, which browsers send to no server. */
  readonly url: string
  readonly expires_at: string
}

/** The exchange of a code for a session, by a page of the site. */
export interface ToolbarExchange {
  readonly code: string
  /** The project of the token that the page sent. `undefined`: no project has the token. */
  readonly project: Project | undefined
  /** The request's `Origin`. */
  readonly origin: string | undefined
  /** Whether the browser says that the page is on the origin of the service. */
  readonly isSameOrigin: boolean
  /** Whether the page holds the secret in memory, because its browser refused the cookie of the first exchange. */
  readonly isInMemory: boolean
  /** IP address or network of the client, which limits its failed attempts. */
  readonly client: string
}

/** A request with the secret of a session. */
export interface ToolbarUse extends Pick<ToolbarExchange, 'origin' | 'isSameOrigin' | 'isInMemory'> {
  readonly project: Project
  readonly secret: string
}

/** A session that has not ended. Its key may have lost the scopes of individual reads. */
export interface FoundToolbarSession {
  readonly key: ApiKey
  readonly project: Project
  readonly origin: string
  /** When the session ends if it is not used. */
  readonly expiresAt: string
  /** When the session ends in any case. */
  readonly maxExpiresAt: string
}

/** Codes and sessions of the toolbar. All functions reject with `ApiError`. */
export interface ToolbarSessions {
  /** Creates a code that starts one session, with the rights of `key`, on an authorized origin of the project. */
  createCode(projectId: number, key: ApiKey, page: { origin: string; path?: string }): Promise<ToolbarCode>
  /** Starts a session. Every reason for a failure has the same message. */
  start(exchange: ToolbarExchange): Promise<{ readonly secret: string; readonly session: FoundToolbarSession }>
  /** Finds a session and records its use. Resolves with `undefined` if there is none for this project and origin. */
  find(use: ToolbarUse): Promise<FoundToolbarSession | undefined>
  end(secret: string): Promise<void>
}

export interface ToolbarSessionsDependencies {
  readonly metadata: Pick<Metadata, 'keys' | 'projects'>
  readonly store: ToolbarStore
  readonly log: Log
  readonly now?: () => number
}

// Logs redact this format (`lib/log.ts`).
const newSecret = (bytes: number) => `tmb_${randomBytes(bytes).toString('hex')}`

const isoAt = (ms: number) => new Date(ms).toISOString()

/** Returns the URL of a page of `origin`. Throws `ApiError` unless `path` is a path, with or without parameters. */
const pageUrl = (origin: string, path: string, code: string): string => {
  if (!/^\/(?![/\\])[^\s#\\]*$/.test(path) || !URL.canParse(origin + path))
    throw new ApiError('invalid_input', {
      attr: 'path',
      detail: '"path" must be the path of a page without a fragment, such as /products?sort=price.',
    })
  const url = new URL(origin + path)
  url.hash = `__trailmark_toolbar=${code}`
  return url.href
}

/**
 * Whether a request is from a page of the session's origin. Browsers send no `Origin` with a GET of the page's own
 * origin. The secret in a page's memory is known to that page only, but a cookie needs proof that the page is on the
 * origin of the service and that the session's origin is the same.
 */
const isFrom = ({ origin, isSameOrigin }: ToolbarSession, use: ToolbarUse): boolean =>
  use.origin === undefined ? use.isInMemory || (use.isSameOrigin && isSameOrigin) : use.origin === origin

const isAllowed = ({ key, origin, projectId }: ToolbarSession, project: Project): boolean =>
  projectId === project.id &&
  (key.projectId === undefined || key.projectId === project.id) &&
  key.scopes.includes(NEEDED_SCOPE) &&
  project.toolbarOrigins.includes(origin)

/** Creates the operations on codes and sessions of the toolbar. */
export const createToolbarSessions = ({
  metadata: { keys, projects },
  store: toolbar,
  log,
  now = Date.now,
}: ToolbarSessionsDependencies): ToolbarSessions => {
  const attempts = createAttempts(now)
  const countRequest = createRequestLimit(MAX_REQUESTS_PER_MINUTE, now)

  const deleteExpired = () =>
    toolbar.deleteExpired({
      at: isoAt(now()),
      usedBefore: isoAt(now() - MAX_IDLE_MS),
      createdBefore: isoAt(now() - MAX_AGE_MS),
    })

  const maxEndOf = ({ createdAt }: ToolbarSession) => Date.parse(createdAt) + MAX_AGE_MS
  const endOf = (session: ToolbarSession) =>
    Math.min(Date.parse(session.usedAt ?? session.createdAt) + MAX_IDLE_MS, maxEndOf(session))

  const toFound = (session: ToolbarSession, project: Project): FoundToolbarSession => ({
    key: session.key,
    project,
    origin: session.origin,
    expiresAt: isoAt(endOf(session)),
    maxExpiresAt: isoAt(maxEndOf(session)),
  })

  /** Returns the session with the time of this use. `undefined`: another exchange has replaced it. */
  const noteUse = async (session: ToolbarSession, secret: string): Promise<ToolbarSession | undefined> => {
    const { usedAt: before, key } = session
    if (before !== undefined && now() - Date.parse(before) < TOUCH_MS) return session
    const usedAt = isoAt(now())
    const touches = Promise.all([toolbar.touch(secret, usedAt), keys.touch(key.id, usedAt)])
    // The first use decides that the code cannot start another session. Later ones may fail, such as with a full disk.
    const [isThere] = await (before === undefined ? touches : touches.catch(() => [true]))
    return isThere ? { ...session, usedAt } : undefined
  }

  return {
    async createCode(projectId, key, { origin, path = '/' }) {
      const project = await projects.byId(projectId)
      if (!project?.toolbarOrigins.includes(origin))
        throw new ApiError('invalid_input', {
          attr: 'origin',
          detail: `"${origin.slice(0, 100)}" is not an authorized origin of this project. Add it to "toolbar_origins" first.`,
        })
      const code = newSecret(16)
      const url = pageUrl(origin, path, code)
      const expiresAt = isoAt(now() + CODE_MS)
      await deleteExpired()
      const isCreated = await toolbar.createCode({ code, keyId: key.id, projectId, origin, expiresAt })
      if (!isCreated) throw new ApiError('invalid_api_key')
      return { code, url, expires_at: expiresAt }
    },

    async start({ code, project, origin, isSameOrigin, isInMemory, client }) {
      const succeed = attempts.begin(client)
      const failed = () => new ApiError('invalid_toolbar_code')
      if (!project || !origin) throw failed()
      const secret = newSecret(32)
      const exchange = { code, secret, projectId: project.id, origin, isSameOrigin, at: isoAt(now()) }
      const session = await (isInMemory ? toolbar.restart(exchange) : toolbar.start(exchange))
      if (!session || !isAllowed(session, project)) throw failed()
      succeed()
      const { id, label } = session.key
      log('Started a session of the toolbar', { key: id, label, project: project.id, origin })
      return { secret, session: toFound(session, project) }
    },

    async find(use) {
      const { project, secret } = use
      const session = await toolbar.session(secret)
      if (!session || endOf(session) <= now() || !isAllowed(session, project) || !isFrom(session, use)) return undefined
      countRequest(secret)
      const used = await noteUse(session, secret)
      return used && toFound(used, project)
    },

    end: (secret) => toolbar.end(secret),
  }
}

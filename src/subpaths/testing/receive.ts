import { configOf, flagsAnswer } from './answers'
import { isBad, type Project } from './project'
import { parseBody, readEvents, Unreadable } from './readEvents'
import type { BadEvent, ReceivedEvent } from './types'

/** A request whose body is decoded. */
export interface Incoming {
  method: string
  /** Path with the query. */
  path: string
  text: string
}

export interface Answer {
  status: number
  /** JSON, or a script. */
  body: unknown
}

/** Returns the project of a token. */
export type ProjectOf = (token: string | undefined) => Project | undefined

const error = (status: number, type: string, code: string, detail: string): Answer => ({
  status,
  body: { type, code, detail, attr: null },
})

const UNKNOWN_TOKEN = 'No project of this collector has this token. Pass its "token" to init().'

const unknown = (token: string | undefined, sample: unknown, event?: string): BadEvent => ({
  ...(event ? { event } : {}),
  code: 'unknown_token',
  reason: `${UNKNOWN_TOKEN} Got ${token === undefined ? 'none' : JSON.stringify(token)}.`,
  sample,
})

type Handler = (call: {
  project: Project
  projectOf: ProjectOf
  incoming: Incoming
  query: URLSearchParams
  matched: RegExpExecArray
}) => Answer

/** Passes events to their projects. Those of an unknown token are rejections of `project`. */
const takeEvents: Handler = ({ project, projectOf, incoming, query }) => {
  const parsed = parseBody(incoming.text)
  const read = readEvents(parsed, query.get('token') ?? query.get('api_key') ?? undefined)
  const refused: { index: number; uuid?: string; code: string; detail: string }[] = []
  const taken = new Map<Project, (ReceivedEvent | BadEvent)[]>()
  read.forEach(({ token, result }, index) => {
    const owner = projectOf(token)
    const final = owner ? result : unknown(token, result, result.event)
    if (isBad(final)) {
      const { uuid } = Object(final.sample) as { uuid?: string }
      refused.push({ index, ...(uuid ? { uuid } : {}), code: final.code, detail: final.reason })
    }
    taken.set(owner ?? project, [...(taken.get(owner ?? project) ?? []), final])
  })
  for (const [owner, results] of taken) owner.add(results)
  if (refused.length && refused.every(({ code }) => code === 'unknown_token') && refused.length === read.length)
    return error(401, 'authentication_error', 'invalid_token', UNKNOWN_TOKEN)
  return { status: 200, body: { status: 1, ...(refused.length ? { refused } : {}) } }
}

const ask = ({ text }: Incoming): Record<string, unknown> =>
  Object(text ? parseBody(text) : {}) as Record<string, unknown>

/** Answers by path. `project` is the one of the token in the URL or the body. */
const ROUTES: readonly (readonly [path: RegExp, handler: Handler])[] = [
  [/\/(e|s|i\/v0\/e|batch|capture|track|engage)\/?$/, takeEvents],
  [
    /\/(flags|decide)\/?$/,
    ({ project, incoming }) => ({
      status: 200,
      body: flagsAnswer(project.settings, ask(incoming).disable_flags === true),
    }),
  ],
  [/\/array\/([^/]+)\/config$/, ({ project }) => ({ status: 200, body: configOf(project.settings) })],
  [
    /\/array\/([^/]+)\/config\.js$/,
    ({ project, matched }) => ({
      status: 200,
      body: `(window._POSTHOG_REMOTE_CONFIG ??= {})[${JSON.stringify(matched[1])}] = { config: ${JSON.stringify(configOf(project.settings))}, siteApps: [] }`,
    }),
  ],
  [/\/api\/surveys\/?$/, ({ project }) => ({ status: 200, body: { surveys: project.settings.surveys } })],
  [/\/api\/early_access_features\/?$/, () => ({ status: 200, body: { earlyAccessFeatures: [] } })],
]

/** Whether a path is one of an SDK's requests. */
export const isOfSdk = (path: string): boolean => ROUTES.some(([pattern]) => pattern.test(path.split('?')[0]!))

/** Records a request and returns the answer to it, as the service would give it. `fallback` keeps what has no project. */
export const receive = (incoming: Incoming, projectOf: ProjectOf, fallback: Project): Answer => {
  const [path = '', search = ''] = incoming.path.split('?')
  const query = new URLSearchParams(search)
  const row = ROUTES.find(([pattern]) => pattern.test(path))
  if (!row) return error(404, 'invalid_request', 'not_found', `There is nothing at ${path}.`)
  const matched = row[0].exec(path)!
  let body: unknown = incoming.text || undefined
  let token: string | undefined = query.get('token') ?? undefined
  try {
    if (incoming.text) body = parseBody(incoming.text)
    const { token: own, api_key } = Object(body) as { token?: string; api_key?: string }
    token = api_key ?? own ?? token ?? (path.includes('/array/') ? decodeURIComponent(matched[1]!) : undefined)
  } catch {
    // The handler reports it.
  }
  const owner = projectOf(token)
  const project = owner ?? fallback
  project.record({ method: incoming.method, path: incoming.path, ...(body === undefined ? {} : { body }) })
  try {
    if (!owner && row[1] !== takeEvents) {
      project.add([unknown(token, body)])
      return error(401, 'authentication_error', 'invalid_token', UNKNOWN_TOKEN)
    }
    return row[1]({ project, projectOf, incoming, query, matched })
  } catch (failure) {
    const { code, message } =
      failure instanceof Unreadable ? failure : new Unreadable('internal_error', String(failure))
    project.add([{ code, reason: message, sample: incoming.text.slice(0, 2000) }])
    return error(400, 'validation_error', code, message)
  }
}

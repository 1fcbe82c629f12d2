import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CommandError } from './command.ts'

/** Token and key of every development service. They are in the docs, so they protect nothing. */
const TOKEN = 'tm_dev'
const KEY = 'tmk_dev_known_to_everybody'

const USAGE = 'trailmark dev [--port <port>] [--data <folder>] [--json] [--detached]'
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/
const PARENT_EVERY_MS = 500
const LOOK_EVERY_MS = 500

/** Differences between `trailmark dev` and `serve`. */
export interface Dev {
  /** Variables that override those of the environment. */
  readonly variables: Readonly<Record<string, string>>
  /** Whether output is JSON, one object per line. */
  readonly isJson: boolean
  /** Calls `stop` when the parent process ends, unless the service is detached. */
  watchParent(stop: () => void): void
}

/** A stored event in the answer of `events/live`. The service marks those that differ from the plan of the project. */
interface Stored {
  readonly type: 'event'
  readonly event: string
  readonly distinct_id: string
  readonly properties: { readonly $plan_violations?: string | readonly string[] }
}

/** A rejected event in the answer of `events/live`. */
interface Rejected {
  readonly type: 'rejected_event'
  readonly event: string
  readonly distinct_id: string
  readonly code: string
  readonly reason: string
  readonly remedy: string
  readonly sample: string
}

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        json: { type: 'boolean' },
        detached: { type: 'boolean' },
      },
      strict: true,
    }).values
  } catch (error) {
    throw new CommandError(`${(error as Error).message.split('. ')[0]}. Usage: ${USAGE}`)
  }
}

/** Creates a data folder that is removed when the process exits. */
const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-dev-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Reads the arguments of `dev`: a service for development and tests, with a known token and key. It uses a temporary
 * data folder, which it removes at the end, and never the stores that the environment names. Throws `CommandError`.
 */
export const readDev = (args: readonly string[], env: Readonly<Record<string, string | undefined>>): Dev => {
  const { port, data, json, detached } = parse(args)
  const host = env.TRAILMARK_HOST || '127.0.0.1'
  const key = env.TRAILMARK_PERSONAL_API_KEY
  if (!key && !LOOPBACK.test(host))
    throw new CommandError(
      `other machines could reach ${host}, and the key of "trailmark dev" is known: set TRAILMARK_PERSONAL_API_KEY to another one, or leave TRAILMARK_HOST unset.`,
    )
  return {
    isJson: json === true,
    variables: {
      CLICKHOUSE_URL: '',
      CLICKHOUSE_CLUSTER: '',
      DATABASE_URL: '',
      TRAILMARK_PROJECT_TOKEN: env.TRAILMARK_PROJECT_TOKEN || TOKEN,
      TRAILMARK_PERSONAL_API_KEY: key || KEY,
      TRAILMARK_LOG_LEVEL: env.TRAILMARK_LOG_LEVEL || 'warn',
      TRAILMARK_DATA: data ?? temporaryFolder(),
      ...(port === undefined ? {} : { TRAILMARK_PORT: port }),
    },
    watchParent: (stop) => {
      const parent = process.ppid
      if (detached) return
      const timer = setInterval(() => {
        if (process.ppid === parent) return
        clearInterval(timer)
        stop()
      }, PARENT_EVERY_MS)
      timer.unref()
    },
  }
}

const wordsOf = ({ event, distinct_id, reason, code, remedy, sample }: Rejected): string =>
  [
    `✗ ${event || 'an event'}${distinct_id ? ` of ${distinct_id}` : ''} was rejected: ${reason} (${code})`,
    `    ${remedy}`,
    `    ${sample}`,
  ].join('\n')

/** Returns the line to print for an event: why it was rejected, or how it violates the plan. */
const problemOf = (each: Rejected | Stored): { data: object; words: string } | undefined => {
  if (each.type === 'rejected_event') return { data: each, words: wordsOf(each) }
  const violations = each.properties?.$plan_violations
  if (violations === undefined) return undefined
  const { event, distinct_id } = each
  return {
    data: { type: 'plan_violation', event, distinct_id, violations },
    words: `! ${event} of ${distinct_id} differs from the plan: ${[violations].flat().join('; ')}`,
  }
}

/** Address of a development service, and instructions for its use. */
export interface DevService {
  readonly url: string
  readonly token: string
  readonly key: string
  readonly projectId: number
  readonly data: string
  /** One-time link to the console, if there is one. */
  readonly console: string | undefined
}

/** Prints how to use the service. */
export const announceDev = (service: DevService, isJson: boolean, say: (line: string) => void): void => {
  const { url, token, key, console, data } = service
  if (isJson) return say(JSON.stringify({ type: 'ready', ...service }))
  say('')
  say(`  Trailmark for development is ready at ${url}`)
  say(`  Token ${token}, personal API key ${key}`)
  if (console) say(`  Console: ${console}`)
  say(`  Data: ${data}`)
  say(`  Rejected events and those that differ from the plan appear here. Stop with Ctrl-C.`)
  say('')
}

/** Prints rejected events, and events that violate the plan, as they arrive. */
export const watchProblems = (
  { url, key, projectId }: Pick<DevService, 'url' | 'key' | 'projectId'>,
  isJson: boolean,
  say: (line: string) => void,
): void => {
  let after = ''
  const look = async () => {
    const response = await fetch(
      `${url}/api/projects/${projectId}/events/live?limit=100${after && `&after=${encodeURIComponent(after)}`}`,
      { headers: { Authorization: `Bearer ${key}` } },
    )
    const { results, next } = (await response.json()) as { results: (Rejected | Stored)[]; next: string }
    for (const each of results) {
      const problem = problemOf(each)
      if (problem) say(isJson ? JSON.stringify(problem.data) : problem.words)
    }
    after = next
  }
  // The next look finds the events that a failed one missed.
  const loop = () =>
    void look()
      .catch(() => {})
      .finally(() => setTimeout(loop, LOOK_EVERY_MS).unref())
  loop()
}

import type { Io } from './io'

/** The service and the project that a command reads from. */
export interface Target {
  host: string
  projectId: string
  apiKey: string
}

const NAMES = [
  ['host', 'TRAILMARK_HOST'],
  ['project', 'TRAILMARK_PROJECT_ID'],
  ['api-key', 'TRAILMARK_API_KEY'],
] as const

/** Options of commands that read from the service. */
export const TARGET_OPTIONS = {
  host: { type: 'string' },
  project: { type: 'string' },
  'api-key': { type: 'string' },
} as const

/** Returns the target from options, or from environment variables. */
export const targetOf = (values: Partial<Record<(typeof NAMES)[number][0], string>>, { env }: Io): Target => {
  const [host, projectId, apiKey] = NAMES.map(([option, variable]) => {
    const value = values[option] ?? env[variable]
    if (!value) throw new Error(`Missing --${option}, or the environment variable ${variable}.`)
    return value
  }) as [string, string, string]
  return { host: host.replace(/\/+$/, ''), projectId, apiKey }
}

const TRIES = 4

/** Reads from the project's API, and retries when the service is overloaded. Throws the service's message. */
export const readApi = async ({ host, projectId, apiKey }: Target, path: string): Promise<string> => {
  const url = `${host}/api/projects/${encodeURIComponent(projectId)}/${path}`
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } }).catch((error: unknown) => {
      throw new Error(`${host} cannot be reached: ${String((error as Error).cause ?? error)}`, { cause: error })
    })
    const text = await response.text()
    if (response.ok) return text
    if ((response.status !== 429 && response.status !== 503) || attempt === TRIES)
      throw new Error(`${url} responded with status ${response.status}: ${text.slice(0, 500)}`)
    await new Promise((done) => setTimeout(done, 1_000 * (Number(response.headers.get('retry-after')) || attempt)))
  }
}

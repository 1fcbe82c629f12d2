import { ENDPOINTS, VARIABLES } from './endpoints.mjs'
import { SURVEY } from './survey.mjs'

const WAIT_MS = 12_000

/** The service rejected the request or did not respond. The message is for people. */
export class ServiceError extends Error {
  constructor(message, code) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
  }
}

/**
 * The shop server's client for the Trailmark service at `url`. The personal API key stays here and is never sent to a page.
 */
export const createTrailmark = ({ url, token, projectId = 1, personalApiKey }, request = fetch) => {
  const base = `${url}/api/projects/${projectId}`

  const ask = async (method, path, body) => {
    let response
    try {
      response = await request(base + path, {
        method,
        headers: { Authorization: `Bearer ${personalApiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(WAIT_MS),
      })
    } catch {
      throw new ServiceError(`The service at ${url} does not respond.`, 'unreachable')
    }
    const answer = await response.json().catch(() => ({}))
    if (!response.ok)
      throw new ServiceError(answer.detail ?? `The service responded with status ${response.status}.`, answer.code)
    return answer
  }

  /** Creates a resource, or calls `otherwise` if it exists. */
  const make = async (path, body, otherwise = () => {}) => {
    try {
      await ask('POST', path, body)
    } catch (error) {
      if (error.code !== 'name_taken') throw error
      await otherwise()
    }
  }

  // Variables first, because an endpoint with an unknown variable is rejected.
  const defineAll = async () => {
    for (const variable of VARIABLES) await make('/insight_variables/', variable)
    for (const { name, description, sql } of Object.values(ENDPOINTS)) {
      const definition = { description, query: { kind: 'HogQLQuery', query: sql } }
      await make('/endpoints/', { name, ...definition }, () => ask('PATCH', `/endpoints/${name}/`, definition))
    }
    await make('/surveys', { ...SURVEY, start_date: new Date().toISOString() })
  }

  let defined
  /** Creates or updates the shop's variables and endpoints, and creates its survey. After a failure, the next call tries again. */
  const define = () => {
    defined ??= defineAll().catch((error) => {
      defined = undefined
      throw error
    })
    return defined
  }

  /** Runs one of ENDPOINTS and returns its rows as objects. `refresh` bypasses the cache, to show what the visitor just did. */
  const run = async (endpoint, variables = {}) => {
    await define()
    const { results, columns } = await ask('POST', `/endpoints/${endpoint.name}/run`, { variables, refresh: 'force' })
    return results.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
  }

  /** Returns whether the project records sessions. */
  const recordsSessions = async () => !!(await ask('GET', '/remote_config')).sessionRecording
  const recordSessions = (isOn) => ask('PATCH', '/remote_config', { sessionRecording: isOn })
  /** Returns a link that opens the toolbar on a page of the site at `origin`, once and within a minute. */
  const openToolbar = async (origin, path) => {
    const { toolbar_origins: origins } = await ask('GET', '/')
    if (!origins.includes(origin)) await ask('PATCH', '/', { toolbar_origins: [...origins, origin] })
    return (await ask('POST', '/toolbar/codes', { origin, path })).url
  }
  /** Returns the URL of a page of the console. */
  const consoleUrl = (page) => `${url}/console/projects/${projectId}/${page}`

  return { url, token, define, run, recordsSessions, recordSessions, openToolbar, consoleUrl }
}

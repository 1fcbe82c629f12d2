import type { RequestError } from '../../types'

/** The project of a session, and until when it lasts. */
export interface Session {
  expires_at: string
  max_expires_at: string
  project: { id: number; name: string }
  console_url: string | null
}

/** The service did not answer with 200. Status 0: it was not reached. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

type Parameters = Record<string, string | number | boolean | undefined>

/** Reads from the service with the session of a person who is signed in to the console. */
export interface Service {
  /** Exchanges a code for a session, or without a code continues the one of this browser. Rejects with `ServiceError`. */
  open(code: string | undefined): Promise<Session>
  /** Whether the session is valid on this page only, because the browser rejected the cookie. */
  isOfPage(): boolean
  /** Reads `/toolbar/api/<path>`. Rejects with `ServiceError`. */
  read<T>(path: string, parameters?: Parameters): Promise<T>
  /** Ends the session. Never rejects. */
  close(): Promise<void>
}

const errorOf = async (response: Response): Promise<RequestError> => {
  const text = await response.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // A page of a proxy.
  }
  return { statusCode: response.status, text, json }
}

interface ServiceInputs {
  url: string
  token: string
  /** Called when the session has ended. */
  onEnd(): void
  /** Called when a response has a status of 400 or higher. */
  onRequestError(error: RequestError): void
}

/** Creates the client of the service. */
export const createService = ({ url, token, onEnd, onRequestError }: ServiceInputs): Service => {
  /** Replaces a cookie that the browser rejected. Only in memory, so that no other script can read it. */
  let secret: string | undefined

  const send = async <T>(method: string, path: string, parameters: Parameters, body?: object): Promise<T> => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
    let response: Response
    try {
      response = await fetch(`${url}/toolbar/${path}${body ? '' : `?${query.toString()}`}`, {
        method,
        credentials: 'include',
        cache: 'no-store',
        referrerPolicy: 'strict-origin',
        headers: {
          'X-Trailmark-Toolbar': '1',
          ...(secret ? { Authorization: `Bearer ${secret}` } : {}),
          ...(body ? { 'Content-Type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    } catch {
      throw new ServiceError(0, 'The service cannot be reached. The network or the policy of the page may block it.')
    }
    const { status } = response
    if (status >= 400) onRequestError(await errorOf(response))
    if (!response.ok)
      throw new ServiceError(
        status,
        status === 429 ? 'Too many requests. Try again in a minute.' : `The service responded with status ${status}.`,
      )
    return (status === 204 ? undefined : await response.json()) as T
  }
  const current = () => send<Session>('GET', 'session', { token })

  return {
    open: async (code) => {
      if (!code) return current()
      const session = await send<Session>('POST', 'session', {}, { token, code })
      try {
        return await current()
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 401) return session
      }
      const ofPage = await send<Session & { secret: string }>('POST', 'session', {}, { token, code, storage: 'memory' })
      secret = ofPage.secret
      return ofPage
    },
    isOfPage: () => !!secret,
    read: async (path, parameters = {}) => {
      try {
        return await send('GET', `api/${path}`, { token, ...parameters })
      } catch (error) {
        if (error instanceof ServiceError && error.status === 401) onEnd()
        throw error
      }
    },
    close: async () => {
      await send('DELETE', 'session', { token }).catch(() => {})
      secret = undefined
    },
  }
}

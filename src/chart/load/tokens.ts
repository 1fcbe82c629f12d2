import { isRecord } from '../read/cells'
import { ChartError, PROVIDER_FAILED, RETRY_MS } from './errors'

/** Returns run tokens, such as from the site's own server. */
export type TokenProvider = () => Promise<string>

/** A range of days signed in a token. */
export interface SignedRange {
  readonly from?: unknown
  readonly to?: unknown
  /** Names of the variables that have the days. */
  readonly variables?: unknown
}

/** Claims of a token that a chart reads. The service checks the signature. */
export interface TokenClaims {
  readonly exp?: unknown
  readonly project?: unknown
  readonly date_range?: unknown
}

/** Reads the claims of a token without checking it. */
export const claimsOf = (token: string): TokenClaims => {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    // Text beyond ASCII is garbled. The claims that a chart reads have none.
    const claims: unknown = JSON.parse(text)
    return isRecord(claims) ? claims : {}
  } catch {
    return {}
  }
}

/** Where charts get their token. */
export interface TokenSource {
  /** Whether it can return another token. */
  readonly canRenew: boolean
  /** Resolves with a token that has not expired, if there is one. Rejects with a `ChartError`. */
  get(): Promise<string>
  /** Resolves with a token other than the refused one; `undefined` if there is none. */
  renew(refused: string): Promise<string | undefined>
}

/** A token is renewed this long before it expires, or after four fifths of a shorter life. */
const MARGIN_MS = 30_000
const PROVIDER_MS = 30_000

const fixedSource = (token: string): TokenSource => ({
  canRenew: false,
  get: () => Promise.resolve(token),
  renew: () => Promise.resolve(undefined),
})

const failed = (why: string) =>
  new ChartError(
    PROVIDER_FAILED,
    `The token provider returned no token: ${why}. The chart tries again in 15 s.`,
    0,
    RETRY_MS,
  )

const timeLimit = () =>
  new Promise<never>((_, reject) => setTimeout(() => reject(new Error('it did not respond in time')), PROVIDER_MS))

const callProvider = async (provider: TokenProvider): Promise<string> => {
  try {
    const token: unknown = await Promise.race([provider(), timeLimit()])
    if (typeof token === 'string' && token.trim()) return token.trim()
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error))
  }
  throw failed('it must return a text')
}

const providedSource = (provider: TokenProvider): TokenSource => {
  let current: { readonly token: string; readonly until: number } | undefined
  let pending: Promise<string> | undefined
  const renewNow = () =>
    (pending ??= callProvider(provider)
      .then((token) => {
        const left = Number(claimsOf(token).exp) * 1_000 - Date.now()
        // By the clock of this browser. If it is wrong, the token is used until the service refuses it.
        current = { token, until: left > 0 ? Date.now() + Math.max(left - MARGIN_MS, left * 0.8) : Infinity }
        return token
      })
      .finally(() => (pending = undefined)))
  return {
    canRenew: true,
    get: async () => (current && Date.now() < current.until ? current.token : renewNow()),
    async renew(refused) {
      // Another chart has renewed it.
      if (current && current.token !== refused) return current.token
      const token = await renewNow()
      return token === refused ? undefined : token
    },
  }
}

/** Fetches a token from a URL of the site: text, or JSON with `token`. */
const fetchToken = async (url: string): Promise<string> => {
  // Cookies of the site's own origin tell its server who asks.
  const response = await fetch(url, { credentials: 'same-origin', referrerPolicy: 'no-referrer', cache: 'no-store' })
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`)
  const text = await response.text()
  if (!text.trimStart().startsWith('{')) return text
  const body: unknown = JSON.parse(text)
  return isRecord(body) && typeof body.token === 'string' ? body.token : ''
}

const byUrl = new Map<string, TokenProvider>()
const sources = new WeakMap<TokenProvider, TokenSource>()

/** Returns the provider that fetches from a URL, the same for each chart. */
const urlProvider = (url: string): TokenProvider => {
  const provider = byUrl.get(url) ?? (() => fetchToken(url))
  byUrl.set(url, provider)
  return provider
}

/** Returns the source of a provider. All charts with this provider share it, and its token. */
export const sourceOf = (given: TokenProvider | string | undefined, token: string): TokenSource => {
  if (!given) return fixedSource(token)
  const provider = typeof given === 'string' ? urlProvider(given) : given
  const source = sources.get(provider) ?? providedSource(provider)
  sources.set(provider, source)
  return source
}

import type { Bootstrap, FlagValue } from 'trailmark'

export interface VisitorSettings {
  /** The project's token. */
  token: string
  /** URL of the service. */
  host: string
  /** Longest wait for the flags, ms. Default: 1000. Without an answer, the page has no flags from the server. */
  timeoutMs?: number
  /** Replaces the global `fetch`. */
  fetch?: (
    url: string,
    init: { method: 'POST'; body: string; signal: AbortSignal },
  ) => Promise<{ json(): Promise<unknown> }>
}

/** Returns a cookie by its name; undefined if there is none. */
export type ReadCookie = (name: string) => string | undefined

/** Returns a reader of the text of a `Cookie` header. */
export const cookiesOf =
  (header = ''): ReadCookie =>
  (name) =>
    header
      .split(/; */)
      .find((each) => each.startsWith(`${name}=`))
      ?.slice(name.length + 1)

const parse = (text: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}
const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the id in the SDK's cookie. It is what the visitor claims, and proves nothing. */
export const distinctIdOf = (token: string, read: ReadCookie): string | undefined => {
  const text = read(`ph_${token}_posthog`)
  const { distinct_id: id } = text ? parse(decode(text)) : {}
  return typeof id === 'string' && id ? id : undefined
}

const isDenied = (token: string, read: ReadCookie) => read(`__ph_opt_in_out_${token}`) === '0'

interface FlagOfAnswer {
  enabled: boolean
  variant?: string | null
  metadata?: { payload?: unknown }
}

/**
 * Returns the identity and the flags of a visitor, for the server's markup and for `bootstrap`: a new id, if there is no cookie.
 * A visitor who has denied consent gets none. Never throws.
 */
export const readBootstrap = async (settings: VisitorSettings, read: ReadCookie): Promise<Bootstrap> => {
  const { token, host, timeoutMs = 1000 } = settings
  if (isDenied(token, read)) return {}
  const distinctID = distinctIdOf(token, read) ?? crypto.randomUUID()
  try {
    const answer = await (settings.fetch ?? fetch)(`${host.replace(/\/$/, '')}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token, distinct_id: distinctID }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { flags = {} } = (await answer.json()) as { flags?: Record<string, FlagOfAnswer> }
    const featureFlags: Record<string, FlagValue> = {}
    const featureFlagPayloads: Record<string, unknown> = {}
    for (const [key, { enabled, variant, metadata }] of Object.entries(flags)) {
      featureFlags[key] = variant ?? enabled
      if (metadata?.payload !== undefined && metadata.payload !== null) featureFlagPayloads[key] = metadata.payload
    }
    return { distinctID, featureFlags, featureFlagPayloads }
  } catch {
    // Pages are better late than with an error, and best with neither.
    return { distinctID }
  }
}

import type { H3Event } from 'h3'

/** Returns the visitor's id: the one in the SDK's cookie, or a new one. */
const visitorOf = (cookie: string | undefined): string => {
  try {
    return (JSON.parse(cookie ?? '') as { distinct_id: string }).distinct_id
  } catch {
    return crypto.randomUUID()
  }
}

interface Flag {
  enabled: boolean
  variant?: string | null
  metadata?: { payload?: string }
}

/** Returns the visitor's flags for `bootstrap`. `cookie`: the value of the SDK's cookie, `ph_<token>_posthog`. */
export const flagsOf = async (event: H3Event, cookie: string | undefined) => {
  const { trailmarkHost: host, trailmarkToken: token } = useRuntimeConfig(event).public
  const distinctID = visitorOf(cookie)
  const { flags } = await $fetch<{ flags: Record<string, Flag> }>(`${host}/flags/?v=2`, {
    method: 'POST',
    body: { token, distinct_id: distinctID },
  })
  const entries = Object.entries(flags)
  return {
    distinctID,
    featureFlags: Object.fromEntries(entries.map(([key, { variant, enabled }]) => [key, variant ?? enabled])),
    featureFlagPayloads: Object.fromEntries(entries.map(([key, { metadata }]) => [key, metadata?.payload])),
  }
}

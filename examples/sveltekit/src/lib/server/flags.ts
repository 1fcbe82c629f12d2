import { PUBLIC_TRAILMARK_HOST, PUBLIC_TRAILMARK_TOKEN } from '$app/env/public'

/** Returns the visitor's id: the one in the SDK's cookie, or a new one. */
const visitorOf = (cookie: string | undefined): string => {
  try {
    return (JSON.parse(cookie ?? '') as { distinct_id: string }).distinct_id
  } catch {
    return crypto.randomUUID()
  }
}

/** Returns the visitor's flags for `bootstrap`. `cookie`: the value of the SDK's cookie, `ph_<token>_posthog`. */
export const flagsOf = async (cookie: string | undefined) => {
  const distinctID = visitorOf(cookie)
  const answer = await fetch(`${PUBLIC_TRAILMARK_HOST}/flags/?v=2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: PUBLIC_TRAILMARK_TOKEN, distinct_id: distinctID }),
  })
  const { flags } = (await answer.json()) as { flags: Record<string, Flag> }
  const entries = Object.entries(flags)
  return {
    distinctID,
    featureFlags: Object.fromEntries(entries.map(([key, { variant, enabled }]) => [key, variant ?? enabled])),
    featureFlagPayloads: Object.fromEntries(entries.map(([key, { metadata }]) => [key, metadata?.payload])),
  }
}

interface Flag {
  enabled: boolean
  variant?: string | null
  metadata?: { payload?: string }
}

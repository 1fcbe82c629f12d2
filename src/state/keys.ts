/** How a stored value behaves. */
export interface Key {
  /** Whether it is a property of every event. */
  rides: boolean
  /** Whether the cookie carries it too, so that subdomains share it. Ids only: a cookie travels with every request. */
  inCookie: boolean
  /** What it belongs to: `reset` forgets a person's, keeps a browser's. */
  of: 'person' | 'browser'
}

/**
 * Everything the SDK remembers about a visitor. A stored name without a row is a super property: it rides on events
 * and belongs to the person. Names and formats are the protocol's (protocol.md §8.4), so that a site that comes from
 * another SDK of that protocol keeps its visitors.
 */
export const KEYS = {
  distinct_id: { rides: true, inCookie: true, of: 'person' },
  $device_id: { rides: true, inCookie: true, of: 'browser' },
  $user_id: { rides: true, inCookie: false, of: 'person' },
  $user_state: { rides: false, inCookie: true, of: 'person' },
  /** When `distinct_id` was last decided, ms: of two stores that disagree, the newer one is right. */
  $identity_at: { rides: false, inCookie: true, of: 'person' },
  /** [last activity, session id, start], ms. */
  $sesid: { rides: false, inCookie: true, of: 'person' },
  /** Whether events make a person profile although nobody identified: sticks once it was so. */
  $epp: { rides: false, inCookie: true, of: 'person' },
  $groups: { rides: true, inCookie: false, of: 'person' },
  __alias: { rides: false, inCookie: false, of: 'person' },
  $had_persisted_distinct_id: { rides: true, inCookie: false, of: 'person' },
  $last_posthog_reset: { rides: true, inCookie: false, of: 'browser' },
  /** Where the visitor first came from: { r: referrer, u: url }. */
  $initial_person_info: { rides: false, inCookie: false, of: 'person' },
  /** Where the session came from: { sessionId, props: { r, u } }. */
  $client_session_props: { rides: false, inCookie: false, of: 'person' },
} as const satisfies Record<string, Key>

const SUPER_PROPERTY: Key = { rides: true, inCookie: false, of: 'person' }

/** The row of a stored name. */
export const keyOf = (name: string): Key => (Object.hasOwn(KEYS, name) ? KEYS[name as keyof typeof KEYS] : SUPER_PROPERTY)

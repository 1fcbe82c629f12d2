/** The id of events without cookies: the service tells visitors apart, or does not (docs/reference/protocol.md#8.7). */
export const COOKIELESS_ID = '$posthog_cookieless'

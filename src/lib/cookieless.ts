/** Distinct id of cookieless events; the service may distinguish visitors (docs/reference/protocol.md#8.7). */
export const COOKIELESS_ID = '$posthog_cookieless'

/** What the service has turned on for the SDK (protocol.md §4.7). A field that is `false` is not offered. */
export const remoteConfig = (token: string) => ({
  token,
  supportedCompression: ['gzip', 'gzip-js', 'base64'],
  hasFeatureFlags: false,
  autocapture_opt_out: false,
  elementsChainAsString: true,
  analytics: { endpoint: '/i/v0/e/' },
  sessionRecording: false,
  heatmaps: false,
  captureDeadClicks: false,
  surveys: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  defaultIdentifiedOnly: true,
  siteApps: [],
  isAuthenticated: false,
  toolbarParams: {},
})

// Inside a script, `</script` and U+2028 would end what they stand in.
const asScript = (value: unknown) => JSON.stringify(value).replace(/[<\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The configuration as a script that hands it to the SDK, leaving those of other projects alone. */
export const remoteConfigScript = (token: string): string =>
  `(window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{})[${asScript(token)}]={config:${asScript(remoteConfig(token))},siteApps:[]};\n`

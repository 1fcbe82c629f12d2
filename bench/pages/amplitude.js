import * as amplitude from '@amplitude/analytics-browser'

export const start = (collector) =>
  amplitude.init('bench-key', {
    serverUrl: `${collector}/2/httpapi`,
    remoteConfig: { serverUrl: `${collector}/config` },
    autocapture: true,
  })
export const capture = (name, properties) => amplitude.track(name, properties)

import mixpanel from 'mixpanel-browser/src/loaders/loader-module-core'

export const start = (collector) => mixpanel.init('bench-token', { api_host: collector, autocapture: true })
export const capture = (name, properties) => mixpanel.track(name, properties)

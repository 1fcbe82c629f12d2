import { getWebInstrumentations, initializeFaro } from '@grafana/faro-web-sdk'

let faro
export const start = (collector) => {
  faro = initializeFaro({
    url: `${collector}/collect`,
    app: { name: 'bench', version: '1.0.0' },
    instrumentations: getWebInstrumentations(),
  })
}
// Faro's attributes are strings.
export const capture = (name, properties) =>
  faro.api.pushEvent(name, Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)])))

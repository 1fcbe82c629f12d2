import { OpenPanel } from '@openpanel/web'

let openpanel
export const start = (collector) => {
  openpanel = new OpenPanel({
    apiUrl: collector,
    clientId: 'bench',
    trackScreenViews: true,
    trackOutgoingLinks: true,
    trackAttributes: true,
  })
}
export const capture = (name, properties) => openpanel.track(name, properties)

import type { ToolbarParts } from '../../host'
import type { Stop } from '../../types'
import type { Extension } from '../contract'
import { serviceUrl } from './hosts'
import { addLayer } from './layer'
import { createService, ServiceError, type Session } from './service'
import { showBar } from './bar'
import { showSignIn } from './signIn'
import { forgetSession, rememberSession } from './storage'

export const start: Extension<ToolbarParts>['start'] = (host) => {
  // Added before the service answers, so that a second copy of the SDK finds it. It is empty until then.
  const layer = addLayer(host)
  if (!layer) return () => {}
  let isStopped = false
  let hide: Stop = () => {}
  const show = (next: () => Stop) => {
    if (isStopped) return
    hide()
    hide = next()
  }
  const signIn = (message: string) => {
    forgetSession()
    show(() => showSignIn(layer, host, message))
  }
  const service = createService({
    url: serviceUrl(host.config),
    token: host.token,
    onEnd: () => signIn('The session has ended.'),
    onRequestError: host.delivery.onRequestError,
  })
  const open = (session: Session) => {
    // A session in the page's memory ends with the page.
    if (!service.isOfPage()) rememberSession(host.token)
    show(() => showBar({ host, layer, service, session }))
  }
  service
    .open(host.code)
    .then(open, (error: unknown) =>
      signIn(
        error instanceof ServiceError && error.status !== 401
          ? error.message
          : 'This page has no session of the toolbar.',
      ),
    )
  return () => {
    isStopped = true
    hide()
    layer.remove()
  }
}

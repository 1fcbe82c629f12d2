import { hasPage } from '../browser/page'
import { type Body, compress, type GzipNow } from '../delivery/encode'
import { apiHost } from '../delivery/hosts'
import { createOutbox } from '../delivery/outbox'
import { createQueue } from '../delivery/queue'
import { attempt, guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { RequestError } from '../types'
import type { Context } from './createContext'
import type { Ledger } from './ledger'

export type Delivery = ReturnType<typeof connectDelivery>

/** Connects the queue to the outbox, to compression and to the ledger. */
export const connectDelivery = ({ config, token, isOptedOut, mayStore, remote }: Context, ledger: Ledger) => {
  /** Compresses where the browser cannot, once the extension has loaded. */
  let gzip: GzipNow | undefined
  let needsGzip = false
  const gzipNeeded = createListeners<[]>()
  const gzipNow = () => {
    if (!needsGzip) {
      needsGzip = true
      gzipNeeded.tell()
    }
    return gzip
  }
  /** The body of a request: compressed where options, service and browser allow it. */
  const encode = async (text: string): Promise<Body> =>
    config.disable_compression || config.advanced_disable_flags || !remote.acceptsGzip()
      ? text
      : compress(text, gzipNow)
  const onRequestError = (error: RequestError) => guarded(() => config.on_request_error(error))

  // Events for one host never go to another.
  const outboxName = `trailmark ${token} ${apiHost(config)}`
  const outbox = createOutbox({
    name: outboxName,
    config,
    mayKeep: () => !isOptedOut() && mayStore() && config.persistence !== 'memory',
    // What stands in for local storage in workers is no quicker than the outbox itself.
    journals: () => attempt(() => (hasPage() ? localStorage : undefined)),
    onOrphaned: () => queue.takeOver(),
    onDropped: ledger.lost,
  })
  const queue = createQueue({
    config,
    token,
    outbox,
    path: () => remote.items.analytics?.endpoint ?? '/e/',
    encode,
    onDelivered: ledger.delivered,
    onDropped: ledger.lost,
    onRequestError,
  })
  return {
    outbox,
    queue,
    encode,
    /** Whether the browser has failed to compress. */
    needsGzip: () => needsGzip,
    onGzipNeeded: gzipNeeded.add,
    useGzip: (next: GzipNow | undefined): void => {
      gzip = next
    },
    onRequestError,
    /** Whether a key of local storage belongs to the outbox of a tab of this project and host. */
    isOutboxKey: (key: string | null) => !!key?.startsWith(`${outboxName}/`),
  }
}

import { hasPage } from '../browser/page'
import { type Body, compress, type GzipNow } from '../delivery/encode'
import { apiHost } from '../delivery/hosts'
import type { Queue } from '../delivery/queue'
import { outcomeOf } from '../delivery/retry'
import { request } from '../delivery/transport'
import { attempt, guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { OddRequests } from '../lib/oddRequests'
import type { RequestError } from '../types'
import type { Context } from './createContext'
import type { Ledger } from './ledger'

export type Delivery = ReturnType<typeof connectDelivery>

/** Connects the queue to the outbox, to compression and to the ledger. `load` fetches what unusual requests need. */
export const connectDelivery = (
  { config, token, createOutbox, createQueue, isOptedOut, mayStore, mergeSets, remote }: Context,
  ledger: Ledger,
  load: () => Promise<OddRequests>,
) => {
  /** Compresses in browsers that cannot. Set once the extension has loaded. */
  let gzip: GzipNow | undefined
  let needsGzip = false
  const gzipNeeded = createListeners<[]>()
  const gzipNow = () => {
    if (!needsGzip) {
      needsGzip = true
      gzipNeeded.emit()
    }
    return gzip
  }
  /** Whether something between the page and the service may reject compressed bodies. */
  let isGzipSuspect = false
  /** Sends a request. If something other than the service rejects it, the next body is encoded the other way. */
  const send: typeof request = async (url, body, shape, timeoutMs) => {
    const result = await request(url, body, shape, timeoutMs, load)
    if (body && outcomeOf(result) === 'foreign') isGzipSuspect = typeof body !== 'string'
    return result
  }
  /** Returns the body of a request, compressed if options, service, browser and network allow it. */
  const encode = async (text: string): Promise<Body> =>
    config.disable_compression || config.advanced_disable_flags || isGzipSuspect || !remote.acceptsGzip()
      ? text
      : compress(text, gzipNow)
  const onRequestError = (error: RequestError) => guarded(() => config.on_request_error(error))

  // Each host has its own outbox, so events for one host are never sent to another.
  const outboxName = `trailmark ${token} ${apiHost(config)}`
  const mayKeep = () => !isOptedOut() && mayStore() && config.persistence !== 'memory'
  const outbox = createOutbox({
    name: outboxName,
    config,
    mayKeep,
    // In workers, the replacement for local storage is no faster than the outbox itself.
    journals: () => attempt(() => (hasPage() ? localStorage : undefined)),
    onOrphaned: () => queue.adoptOrphans(),
    onDropped: ledger.lost,
  })
  const queue: Queue = createQueue({
    config,
    token,
    outbox,
    path: () => remote.items.analytics?.endpoint ?? '/e/',
    encode,
    send,
    onDelivered: ledger.delivered,
    onDropped: ledger.lost,
    onRequestError,
    merge: mergeSets,
  })
  return {
    outbox,
    /** Whether what is to be sent may be stored in the browser. */
    mayKeep,
    queue,
    encode,
    send,
    /** Whether the browser has failed to compress. */
    needsGzip: () => needsGzip,
    onGzipNeeded: gzipNeeded.add,
    useGzip: (next: GzipNow | undefined): void => {
      gzip = next
    },
    onRequestError,
    /** Whether a key of local storage belongs to the outbox of a tab of this project and host. */
    isOutboxKey: (key: string | null): key is string => !!key?.startsWith(`${outboxName}/`),
  }
}

import { hasPage } from '../browser/page'
import { type Body, compress, type GzipNow } from '../delivery/encode'
import { apiHost } from '../delivery/hosts'
import { createOutbox, type OutboxInputs } from '../delivery/outbox'
import { createQueue, type QueueInputs as AllQueueInputs } from '../delivery/queue'
import { attempt, guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { RequestError } from '../types'
import type { Context } from './createContext'
import type { Ledger } from './ledger'

/** What a queue differs in. */
type QueueInputs = Pick<AllQueueInputs, 'path'> & Partial<AllQueueInputs>

export type Delivery = ReturnType<typeof connectDelivery>

/** Connects the queue to the outbox, to compression and to the ledger. */
export const connectDelivery = ({ config, token, isOptedOut, mayStore, remote }: Context, ledger: Ledger) => {
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
  /** Returns the body of a request, compressed if options, service and browser allow it. */
  const encode = async (text: string): Promise<Body> =>
    config.disable_compression || config.advanced_disable_flags || !remote.acceptsGzip()
      ? text
      : compress(text, gzipNow)
  const onRequestError = (error: RequestError) => guarded(() => config.on_request_error(error))

  const mayKeep = () => !isOptedOut() && mayStore() && config.persistence !== 'memory'
  /** Creates a queue with its own outbox. `kind`: the start of the database's name, one for each project and host. */
  const openQueue = (kind: string, inputs: QueueInputs, journals: OutboxInputs['journals']) => {
    // Each host has its own outbox, so events for one host are never sent to another.
    const name = `${kind} ${token} ${apiHost(config)}`
    const outbox = createOutbox({
      name,
      config: inputs.config ?? config,
      mayKeep,
      journals,
      onOrphaned: () => queue.adoptOrphans(),
      onDropped: ledger.lost,
    })
    const queue = createQueue({
      config,
      token,
      outbox,
      encode,
      onDelivered: () => {},
      onDropped: ledger.lost,
      onRequestError,
      ...inputs,
    })
    return { name, outbox, queue, mayKeep }
  }
  const { name, outbox, queue } = openQueue(
    'trailmark',
    { path: () => remote.items.analytics?.endpoint ?? '/e/', onDelivered: ledger.delivered },
    // In workers, the replacement for local storage is no faster than the outbox itself.
    () => attempt(() => (hasPage() ? localStorage : undefined)),
  )
  return {
    outbox,
    queue,
    openQueue,
    encode,
    /** Whether the browser has failed to compress. */
    needsGzip: () => needsGzip,
    onGzipNeeded: gzipNeeded.add,
    useGzip: (next: GzipNow | undefined): void => {
      gzip = next
    },
    onRequestError,
    /** Whether a key of local storage belongs to the outbox of a tab of this project and host. */
    isOutboxKey: (key: string | null) => !!key?.startsWith(`${name}/`),
  }
}

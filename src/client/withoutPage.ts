import { isWorker } from '../browser/page'
import { guarded } from '../lib/guard'
import type { Config } from '../types'
import { memberAt } from './callMethod'
import type { WithoutPage } from './instances'

type Method = (...args: readonly unknown[]) => unknown

/**
 * The npm build in workers and on servers. `openWorkerStorage` opens the storage of workers, `onServer` returns the
 * methods that work on a server; each is undefined if the site has not imported the part.
 */
export const createWithoutPage =
  (openWorkerStorage?: () => Promise<unknown>, onServer?: (config: Config) => object): WithoutPage =>
  (analytics, begin, end) => {
    if (isWorker()) {
      // A worker's storage is a database, which opens asynchronously. Until then calls are queued, as before `init`.
      if (openWorkerStorage) void openWorkerStorage().then(() => guarded(begin))
      else console.warn('[trailmark]', 'init() in a worker needs trailmark/workers. Nothing is captured')
      return undefined
    }
    // On a server nothing is captured, requested or stored. Each `init` may be for another visitor, so `end` allows the next.
    end()
    const api = onServer?.(analytics.config) ?? {}
    return (path, args) => (memberAt(api, path) as Method | undefined)?.(...args)
  }

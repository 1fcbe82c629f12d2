import { isWorker } from '../browser/page'
import { guarded } from '../lib/guard'
import type { Config } from '../types'
import { memberAt, WITHOUT_CLIENT, type WithoutPage } from './instances'

type Method = (...args: readonly unknown[]) => unknown

/**
 * What the npm build does where there is no page. `openWorkerStorage` opens what workers store in, `onServer` returns
 * the methods that work on a server; undefined where the site has not imported the part.
 */
export const createWithoutPage =
  (openWorkerStorage?: () => Promise<unknown>, onServer?: (config: Config) => object): WithoutPage =>
  (analytics, begin, end) => {
    if (isWorker()) {
      // A worker stores in a database, which opens later: until then calls wait, as before `init`.
      if (openWorkerStorage) void openWorkerStorage().then(() => guarded(begin))
      else console.warn('[trailmark]', 'init() in a worker needs trailmark/workers. Nothing is captured')
      return undefined
    }
    // A server captures, requests and stores nothing. It has many visitors: each `init` brings the flags of the next one.
    end()
    const api = onServer?.(analytics.config) ?? {}
    return (path, args) => (memberAt(api, path) as Method | undefined)?.(...args) ?? WITHOUT_CLIENT[path]
  }

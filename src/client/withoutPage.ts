import { isWorker } from '../browser/page'
import { openWorkerStorage } from '../browser/workerStorage'
import { createFlags } from '../flags/flags'
import { guarded } from '../lib/guard'
import type { Config } from '../types'
import { type FallbackApi, memberAt, WITHOUT_CLIENT, type WithoutPage } from './instances'

const call = (of: object, path: string, args: readonly unknown[]) =>
  (memberAt(of, path) as ((...args: readonly unknown[]) => unknown) | undefined)?.(...args)

/** A server captures, requests and stores nothing. Flags come from `bootstrap`. */
const onServer = (config: Config): FallbackApi => {
  const flags = createFlags({
    config,
    store: { get: () => undefined, set: () => {} },
    capture: () => {},
    sessionId: () => '',
    reload: () => {},
    onMalformed: () => {},
  })
  const api = { ...flags.api, featureFlags: flags.featureFlags }
  return (path, args) => call(api, path, args) ?? WITHOUT_CLIENT[path]
}

/** What the npm build does where there is no page. */
export const withoutPage: WithoutPage = (analytics, begin, end) => {
  // A worker stores in a database, which opens later: until then calls wait, as before `init`.
  if (isWorker()) {
    void openWorkerStorage().then(() => guarded(begin))
    return undefined
  }
  // A server has many visitors: each `init` brings the flags of the next one.
  end()
  return onServer(analytics.config)
}

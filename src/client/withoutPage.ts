import { isWorker } from '../browser/page'
import { openWorkerStorage } from '../browser/workerStorage'
import { createFlags } from '../flags/flags'
import { guarded } from '../lib/guard'
import type { Config } from '../types'
import { type Instead, memberAt, WITHOUT_CLIENT, type WithoutPage } from './instances'

const call = (of: object, path: string, args: readonly unknown[]) =>
  (memberAt(of, path) as ((...args: readonly unknown[]) => unknown) | undefined)?.(...args)

/** A server captures nothing, asks for nothing, and remembers nothing: flags are what `bootstrap` says. */
const onServer = (config: Config): Instead => {
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
  // A worker keeps things in a database, which answers later: until then calls wait, as before `init`.
  if (isWorker()) {
    void openWorkerStorage().then(() => guarded(begin))
    return undefined
  }
  // A server has many visitors: the next `init` brings the next one's flags.
  end()
  return onServer(analytics.config)
}

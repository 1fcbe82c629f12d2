import { isWorker, openWorkerStorage } from '../browser/workerStorage'
import { createFlags } from '../flags/flags'
import { guarded } from '../lib/guard'
import type { Config } from '../types'
import type { Instead, WithoutPage } from './instances'
import { WITHOUT_CLIENT } from './publicApi'

type Members = Record<string, unknown>

/** The member that a path such as `people.set` names. */
const memberAt = (of: object, path: string) =>
  path.split('.').reduce<unknown>((at, name) => (at as Members | undefined)?.[name], of)
const call = (of: object, path: string, args: readonly unknown[]) =>
  (memberAt(of, path) as ((...args: readonly unknown[]) => unknown) | undefined)?.(...args)

/** A worker keeps things in a database, which answers later: until then calls wait, in their order. */
const inWorker: WithoutPage = (analytics, begin) => {
  const waiting: [path: string, args: readonly unknown[]][] = []
  void openWorkerStorage().then(() => {
    guarded(begin)
    waiting.forEach(([path, args]) => call(analytics, path, args))
  })
  return (path, args) => {
    waiting.push([path, args])
    return WITHOUT_CLIENT[path]
  }
}

/** A server captures nothing, asks for nothing, and remembers nothing: flags are what `bootstrap` says. */
const onServer = (config: Config): Instead => {
  const flags = createFlags({
    config,
    store: { get: () => undefined, set: () => {} },
    capture: () => {},
    sessionId: () => '',
    ask: () => {},
  })
  const api = { ...flags.api, featureFlags: flags.more }
  return (path, args) => call(api, path, args) ?? WITHOUT_CLIENT[path]
}

/** What the npm build does where there is no page. */
export const withoutPage: WithoutPage = (analytics, begin, end) => {
  if (isWorker()) return inWorker(analytics, begin, end)
  // A server has many visitors: the next `init` brings the next one's flags.
  end()
  return onServer(analytics.config)
}

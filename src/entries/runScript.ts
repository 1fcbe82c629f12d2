import { unclobbered } from '../browser/dom'
import type { Feature } from '../client/feature'
import { type Build, createAnalytics, type Lacking } from '../client/instances'
import { replaceStub } from '../client/stub'

/**
 * The element of the running script. `policy`: the Trusted Types policy of the snippet, because a page may
 * allow only one policy of a name.
 */
export type ScriptTag = HTMLScriptElement & { policy?: ScriptUrlPolicy }

export interface ScriptUrlPolicy {
  createScriptURL(name: string): string
}

/**
 * Starts the script build with these features. `loadFrom`: how extensions are fetched, from the script's element.
 * `lacking`: how it does without other features. The snippet creates its stub at `analytics`. With `data-token`, the
 * script's element has the arguments of `init`. Otherwise the page calls `analytics.init` itself.
 */
export const runScript = (
  features: readonly Feature[],
  loadFrom: (tag: ScriptTag | null) => Build['makeLoad'],
  lacking?: Lacking,
): void => {
  // Available only while this script runs.
  const tag = unclobbered(document).currentScript as ScriptTag | null
  const makeLoad = loadFrom(tag)
  const analytics = replaceStub(
    window as unknown as Record<string, unknown>,
    tag?.dataset.global || 'analytics',
    () => createAnalytics({ features, makeLoad, ...lacking }),
    tag?.src,
  )
  const { token, apiHost, defaults = 'latest' } = tag?.dataset ?? {}
  if (token !== undefined)
    // The service has the script at /static/analytics.js.
    analytics?.init(token, { api_host: apiHost ?? new URL('..', tag!.src).href, defaults })
}

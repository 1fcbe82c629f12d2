import { unclobbered } from '../browser/dom'
import type { Feature } from '../client/feature'
import { type Build, createAnalytics, type Lacking } from '../client/instances'
import { replaceStub } from '../client/stub'

/**
 * The element of the running script. `policy`: the Trusted Types policy of the README's snippet, because a page may
 * allow only one policy of a name.
 */
export type ScriptTag = HTMLScriptElement & { policy?: ScriptUrlPolicy }

export interface ScriptUrlPolicy {
  createScriptURL(name: string): string
}

/**
 * Starts the script build with these features. `loadFrom`: how extensions are fetched, from the script's element.
 * `lacking`: how it does without other features. The README's snippet creates its stub at `analytics`. Without a stub,
 * the page calls `analytics.init` itself.
 */
export const runScript = (
  features: readonly Feature[],
  loadFrom: (tag: ScriptTag | null) => Build['makeLoad'],
  lacking?: Lacking,
): void => {
  // Available only while this script runs.
  const tag = unclobbered(document).currentScript as ScriptTag | null
  const makeLoad = loadFrom(tag)
  replaceStub(
    window as unknown as Record<string, unknown>,
    tag?.dataset.global || 'analytics',
    () => createAnalytics({ features, makeLoad, ...lacking }),
    tag?.src,
  )
}

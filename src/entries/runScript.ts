import { unclobbered } from '../browser/dom'
import type { Feature } from '../client/feature'
import { createAnalytics } from '../client/instances'
import type { Missing } from '../client/missingParts'
import { takeOver } from '../client/stub'
import type { LoadExtension } from '../extensions/contract'
import type { Config } from '../types'

/** The tag of the running script. `policy`: the Trusted Types policy of the README's snippet, since a page may allow one of a name only. */
export type ScriptTag = HTMLScriptElement & { policy?: ScriptUrlPolicy }

export interface ScriptUrlPolicy {
  createScriptURL(name: string): string
}

/**
 * Starts the script build with these features. `makeLoad`: how extensions are fetched. `missing`: says which part a member lacks. The README's snippet leaves its stub
 * at `analytics`, the protocol's own at `posthog`. Without any, the page will call `analytics.init` itself.
 */
export const runScript = (
  features: readonly Feature[],
  makeLoad: (tag: ScriptTag | null) => (config: Config) => LoadExtension,
  missing?: Missing,
): void => {
  // Known only while this script runs.
  const tag = unclobbered(document).currentScript as ScriptTag | null
  const load = makeLoad(tag)
  takeOver(window as unknown as Record<string, unknown>, tag?.dataset.global || 'analytics', () =>
    createAnalytics(features, load, undefined, missing),
  )
}

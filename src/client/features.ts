import type { ExtensionHost, ExtensionName } from '../extensions/contract'
import { guarded } from '../lib/guard'
import { startAutocapture } from '../sources/autocapture/startAutocapture'
import { startClicks } from '../sources/clicks'
import { startPageleaves } from '../sources/pageleaves'
import { type PageviewHost, startPageviews } from '../sources/pageviews'
import type { Stop } from '../types'

/** What decides whether a feature runs, and what it runs with. */
export interface FeatureHost extends ExtensionHost, PageviewHost {
  /** Whether the service lets autocapture run. */
  mayAutocapture(): boolean
  /** Whether the browser cannot compress requests. */
  needsGzip(): boolean
  /** Fetches an extension and starts it with `parts` beside this host. `onFailure`: it does not run. */
  startExtension(name: ExtensionName, parts?: object, onFailure?: Stop): Stop
}

/** Something that runs by itself while it is wanted: in the core, or as an extension that is loaded then. */
export type Feature = { wanted(host: FeatureHost): unknown } & (
  { start(host: FeatureHost): Stop } | { load: ExtensionName }
)

/** What runs by itself, in the order in which it starts. */
export const FEATURES: readonly Feature[] = [
  { wanted: ({ config }) => config.capture_pageview, start: startPageviews },
  {
    wanted: ({ config }) => config.capture_pageleave === true || (config.capture_pageleave && config.capture_pageview),
    start: startPageleaves,
  },
  {
    wanted: ({ config }) => config.rageclick || config.capture_dead_clicks,
    start: (host) => startClicks(host, (parts, onFailure) => host.startExtension('clicks', parts, onFailure)),
  },
  {
    wanted: ({ config, mayAutocapture }) => config.autocapture && mayAutocapture(),
    start: startAutocapture,
  },
  { wanted: ({ needsGzip }) => needsGzip(), load: 'gzip' },
]

/**
 * Runs features. `align` starts those that are wanted and do not run, and stops those that run and are not wanted; it
 * is the one call for init, set_config, consent and shutdown.
 */
export const runFeatures = (host: FeatureHost, mayRun: () => boolean, features = FEATURES) => {
  const running = new Map<Feature, Stop>()
  let isEnded = false
  return {
    align: (): void => {
      const may = !isEnded && mayRun()
      for (const feature of features) {
        const wanted = may && feature.wanted(host)
        const stop = running.get(feature)
        // A page that forbids one feature's machinery keeps the others.
        guarded(() => {
          if (wanted && !stop)
            running.set(feature, 'load' in feature ? host.startExtension(feature.load) : feature.start(host))
          if (!wanted && stop) {
            running.delete(feature)
            stop()
          }
        })
      }
    },
    /** Stops all features for good: an `align` that comes late starts none. */
    stop: (): void => {
      isEnded = true
      running.forEach((stop) => stop())
      running.clear()
    },
  }
}

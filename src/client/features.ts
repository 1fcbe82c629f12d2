import type { Extensions } from '../extensions/extensions'
import { guarded } from '../lib/guard'
import { startAutocapture } from '../sources/autocapture/startAutocapture'
import { startClicks } from '../sources/clicks'
import { startPageleaves } from '../sources/pageleaves'
import { type PageviewHost, startPageviews } from '../sources/pageviews'
import type { Stop } from '../types'

/** What decides whether a feature runs, and what it runs with. */
export interface FeatureHost extends PageviewHost {
  /** Fetches an extension; undefined, and a line in the console of `debug`, if it does not come. */
  fetchExtension<N extends keyof Extensions>(name: N): Promise<Extensions[N] | undefined>
  /** Whether the service lets autocapture run. */
  mayAutocapture(): boolean
}

/** Something that runs by itself while it is wanted. */
export interface Feature {
  wanted(host: FeatureHost): unknown
  start(host: FeatureHost): Stop
}

/** What runs by itself, in the order in which it starts. */
export const FEATURES: readonly Feature[] = [
  { wanted: ({ config }) => config.capture_pageview, start: startPageviews },
  {
    wanted: ({ config }) => config.capture_pageleave === true || (config.capture_pageleave && config.capture_pageview),
    start: startPageleaves,
  },
  {
    wanted: ({ config }) => config.rageclick || config.capture_dead_clicks,
    start: (host) => startClicks(host, async () => (await host.fetchExtension('clicks'))?.createDetector),
  },
  {
    wanted: ({ config, mayAutocapture }) => config.autocapture && mayAutocapture(),
    start: startAutocapture,
  },
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
          if (wanted && !stop) running.set(feature, feature.start(host))
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

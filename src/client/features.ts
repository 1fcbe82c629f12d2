import type { Host } from '../host'
import { guarded } from '../lib/guard'
import { startAutocapture } from '../sources/autocapture/startAutocapture'
import { startPageleaves } from '../sources/pageleaves'
import { startPageviews } from '../sources/pageviews'
import { startRageClicks } from '../sources/rageClicks'
import type { Stop } from '../types'

/** What decides whether a feature runs. */
export interface FeatureHost extends Host {
  /** Whether the service lets autocapture run. */
  mayAutocapture(): boolean
}

/** Something that runs by itself while it is wanted. */
export interface Feature {
  name: string
  wanted(host: FeatureHost): unknown
  start(host: Host): Stop
}

/** What runs by itself, in the order in which it starts. */
export const FEATURES: readonly Feature[] = [
  { name: 'pageviews', wanted: ({ config }) => config.capture_pageview, start: startPageviews },
  { name: 'pageleaves', wanted: ({ config }) => config.capture_pageleave === true || (config.capture_pageleave && config.capture_pageview), start: startPageleaves },
  // Before autocapture: a rage click is told before the click itself.
  { name: 'rage clicks', wanted: ({ config }) => config.rageclick, start: startRageClicks },
  { name: 'autocapture', wanted: ({ config, mayAutocapture }) => config.autocapture && mayAutocapture(), start: startAutocapture },
]

/**
 * Runs features. `align` starts those that are wanted and do not run, and stops those that run and are not wanted; it
 * is the one call for init, set_config, consent and shutdown.
 */
export const runFeatures = (host: FeatureHost, mayRun: () => boolean, features = FEATURES) => {
  const running = new Map<Feature, Stop>()
  return {
    align: (): void => {
      for (const feature of features) {
        const wanted = mayRun() && feature.wanted(host)
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
    stop: (): void => {
      running.forEach((stop) => stop())
      running.clear()
    },
  }
}

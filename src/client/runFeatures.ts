import { guarded } from '../lib/guard'
import type { Stop } from '../types'
import type { FeatureHost, Running } from './feature'

/**
 * Runs features. `align` starts those that are wanted and do not run, and stops those that run and are not wanted; it
 * is the one call for init, set_config, consent and shutdown.
 */
export const runFeatures = (host: FeatureHost, mayRun: () => boolean, features: readonly Running[]) => {
  const running = new Map<Running, Stop>()
  let isEnded = false
  return {
    align: (): void => {
      const may = !isEnded && mayRun()
      for (const feature of features) {
        const wanted = may && feature.wanted()
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

import { guarded } from '../lib/guard'
import type { Stop } from '../types'
import type { FeatureHost, Running } from './feature'

/**
 * Runs features. `align` starts those that are wanted and stops the others. It is called by init, set_config and
 * changes of consent.
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
        // If one feature fails to start, the others still run.
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
    /** Stops all features. Later calls of `align` start none. */
    stop: (): void => {
      isEnded = true
      running.forEach((stop) => stop())
      running.clear()
    },
  }
}

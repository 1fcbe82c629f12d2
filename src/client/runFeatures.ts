import { guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { Stop } from '../types'
import type { FeatureHost, Running } from './feature'

interface Run {
  leave(isNextPerson: boolean): void
  stop: Stop
  settings: unknown
}

/**
 * Runs features. `align` starts those that are wanted and stops the others. It is called by init, set_config and
 * changes of consent. `createHost` creates the host of one run.
 */
export const runFeatures = (
  createHost: (onLeave: FeatureHost['onLeave']) => FeatureHost,
  mayRun: () => boolean,
  features: readonly Running[],
) => {
  const running = new Map<Running, Run>()
  let isEnded = false
  const start = (feature: Running, settings: unknown): void => {
    const leaving = createListeners<[isNextPerson: boolean]>()
    const host = createHost(leaving.add)
    const stop = 'load' in feature ? host.startExtension(feature.load) : feature.start(host)
    running.set(feature, { stop, settings, leave: leaving.emit })
  }
  const end = (feature: Running): void => {
    const run = running.get(feature)
    running.delete(feature)
    run?.stop()
  }
  return {
    align: (): void => {
      const may = !isEnded && mayRun()
      for (const feature of features) {
        // If one feature fails to start, the others still run.
        guarded(() => {
          const wanted = may && feature.wanted()
          const settings = feature.settings?.()
          if (!wanted || running.get(feature)?.settings !== settings) end(feature)
          if (wanted && !running.has(feature)) start(feature, settings)
        })
      }
    },
    /**
     * Lets features capture what they hold, in the order in which they start. Called when the page is left, and before
     * the values become another person's, after which `align` starts the features again.
     */
    leave: (isNextPerson: boolean): void => {
      features.forEach((each) => running.get(each)?.leave(isNextPerson))
      for (const each of features) if (isNextPerson && !each.isOfPage) guarded(() => end(each))
    },
    /** Stops all features. Later calls of `align` start none. */
    stop: (): void => {
      isEnded = true
      features.forEach(end)
    },
  }
}

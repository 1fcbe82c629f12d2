import { guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { Stop } from '../types'
import type { LoadExtension } from '../extensions/contract'
import type { Client, FeatureHost, Runner, Running } from './feature'
import { createFeatureHost } from './featureHost'

interface Run {
  leave(isNextPerson: boolean): void
  stop: Stop
  settings: unknown
}

/** Creates what runs features while `mayRun`. `createHost` creates the host of one run. */
export const createRunner = (
  createHost: (onLeave: FeatureHost['onLeave']) => FeatureHost,
  mayRun: () => boolean,
  features: readonly Running[],
): Runner => {
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
    leave: (isNextPerson: boolean): void => {
      features.forEach((each) => running.get(each)?.leave(isNextPerson))
      for (const each of features) if (isNextPerson && !each.isOfPage) guarded(() => end(each))
    },
    stop: (): void => {
      isEnded = true
      features.forEach(end)
    },
  }
}

/** Runs features of a client. `load` fetches their extensions. */
export const runFeatures = (
  client: Client,
  load: LoadExtension,
  mayRun: () => boolean,
  features: readonly Running[],
): Runner => createRunner((onLeave) => createFeatureHost(client, load, onLeave), mayRun, features)

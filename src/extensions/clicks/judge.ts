import type { CreateClickJudge, Happening } from '../../host'
import { createDeadClicks } from './deadClicks'
import { effectOf } from './effects'
import { createRageClicks } from './rageClicks'

/** Runs something when `performance.now` is past `until`. */
export type Wait = (until: number, run: () => void) => void

// A component may answer a click on another: the effect is in its root, not in the one that was clicked in.
const openRoots = (root: ParentNode, found: ShadowRoot[] = []): ShadowRoot[] => {
  root.querySelectorAll('*').forEach(({ shadowRoot }) => {
    if (!shadowRoot) return
    found.push(shadowRoot)
    openRoots(shadowRoot, found)
  })
  return found
}

/** Judges clicks by what follows them. The page is watched only while a click waits. */
export const createJudge: CreateClickJudge = (host, early) => {
  const timers = new Set<ReturnType<typeof setTimeout>>()
  const wait: Wait = (until, run) => {
    const timer = host.later(
      () => {
        timers.delete(timer)
        run()
        restIfIdle()
      },
      // Timers may be a little early.
      Math.max(0, until - performance.now()) + 1,
    )
    timers.add(timer)
  }
  const judges = [createRageClicks(host, wait), createDeadClicks(host, wait)]
  let isWatching = true
  const restIfIdle = () => {
    if (!isWatching || judges.some((judge) => judge.isWaiting())) return
    isWatching = false
    host.rest()
  }
  const judge = (happening: Happening) => {
    const effect = effectOf(happening)
    judges.forEach((each) => each.hear(happening, effect))
    if (happening.type !== 'click' || !(happening.target instanceof Element)) return
    const path = host.pathOf(happening.target)
    judges.forEach((each) => each.click(happening, path))
  }

  // Where an effect of the early clicks may have gone unseen, nobody is accused of having none.
  const sawAll = host.watch(openRoots(document))
  early.filter(({ type }) => sawAll || type !== 'click').forEach(judge)
  restIfIdle()

  const stopLeaving = host.onPageLeave(() => judges.forEach((each) => each.leave()))
  return {
    hear: (happening) => {
      if (happening.type === 'click' && !isWatching) {
        isWatching = true
        host.watch(openRoots(document))
      }
      judge(happening)
      restIfIdle()
    },
    stop: () => {
      stopLeaving()
      timers.forEach((timer) => clearTimeout(timer))
    },
  }
}

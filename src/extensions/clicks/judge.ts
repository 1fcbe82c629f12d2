import type { CreateClickJudge, Happening } from '../../host'
import { createDeadClicks } from './deadClicks'
import { effectOf } from './effects'
import { createRageClicks } from './rageClicks'
import { createWait } from './wait'

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
  let isWatching = true
  const restIfIdle = () => {
    if (!isWatching || judges.some((judge) => judge.isWaiting())) return
    isWatching = false
    host.rest()
  }
  const { wait, stop } = createWait(host.later, restIfIdle)
  const judges = [createRageClicks(host, wait), createDeadClicks(host, wait)]

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
      stop()
    },
  }
}

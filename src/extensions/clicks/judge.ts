import type { CreateClickJudge, Happening } from '../../host'
import { createDeadClicks } from './deadClicks'
import { effectOf } from './effects'
import { createRageClicks } from './rageClicks'
import { createWait } from './wait'

/** Judges clicks by what follows them. The page is watched only while a click waits. */
export const createJudge: CreateClickJudge = (host, early) => {
  const restIfIdle = () => {
    if (!judges.some((judge) => judge.isWaiting())) host.rest()
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

  early.forEach(judge)
  restIfIdle()

  const stopLeaving = host.onPageLeave(() => judges.forEach((each) => each.leave()))
  return {
    hear: (happening) => {
      judge(happening)
      restIfIdle()
    },
    stop: () => {
      stopLeaving()
      stop()
    },
  }
}

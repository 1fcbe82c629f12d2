import { createEffects } from '../browser/effects'
import { onPageLeave } from '../browser/pageExit'
import { listen } from '../browser/signal'
import type { ClickJudge, CreateClickJudge, Happening, Host } from '../host'
import { guarded, later } from '../lib/guard'
import type { Stop } from '../types'
import { safeText } from './autocapture/describeElement'
import { anyMatches, pathOf } from './autocapture/elements'
import { mayCapture } from './autocapture/mayCapture'
import { describeEvent, describePath, maskingOf } from './autocapture/startAutocapture'

// A fetch that hangs must not make the page keep all that ever happens on it.
const EARLY_MAX = 1000

/**
 * Rage and dead clicks. What judges them is fetched at the page's first click; until it is there everything that
 * happens is written down. Without it, nothing is judged.
 */
export const startClicks = (host: Host, load: () => Promise<CreateClickJudge | undefined>): Stop => {
  const { config } = host
  const early: Happening[] = []
  let judge: ClickJudge | undefined
  let isAsked = false
  let isStopped = false

  const tell = (type: string, more: Partial<Happening>) => {
    const happening = { type, at: performance.now(), url: location.href, ...more }
    if (judge) judge.hear(happening)
    else if (early.push(happening) > EARLY_MAX) stop()
  }
  const onEvent = (event: Event) => tell(event.type, { event, target: event.composedPath()[0] })
  const effects = createEffects(
    (records) => tell('mutation', { records }),
    onEvent,
    () => tell('call', {}),
  )
  const ask = async () => {
    const createJudge = await load()
    if (isStopped) return
    if (!createJudge) return stop()
    judge = createJudge(
      {
        ...host,
        later,
        onPageLeave,
        rest: effects.rest,
        pathOf,
        anyMatches,
        mayTell: (path) => mayCapture('click', path, {}),
        describe: (path) => {
          const masking = maskingOf(config)
          const elements = describePath(path, masking)
          return { elements, properties: describeEvent('click', path, masking, elements) }
        },
        safeText,
      },
      early.splice(0),
    )
  }
  const stops = [
    listen(window, ['click'], (event) => {
      // Before the page is watched: what fetches the code may change the page.
      if (!isAsked) guarded(ask)
      isAsked = true
      effects.watch(event.composedPath())
      onEvent(event)
    }),
    // Known always: a click that only brings a window to the front does nothing else.
    listen(window, ['focus', 'blur', 'visibilitychange'], onEvent, { passive: true }),
  ]
  const stop = () => {
    isStopped = true
    stops.forEach((each) => each())
    effects.rest()
    judge?.stop()
  }
  return stop
}

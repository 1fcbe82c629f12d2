import type { ClickHost, Happening } from '../../host'
import type { RageclickConfig } from '../../types'
import type { EffectKind } from './effects'
import { UNACCUSED } from './unaccused'
import type { Wait } from './wait'

export interface Click {
  x: number
  y: number
  /** ms; the clock only has to run evenly. */
  at: number
}

interface AwaitedClick extends Click {
  url: string
  isAnswered: boolean
}

// Compatibility: these three decide which clicks the product calls angry (protocol.md §12.6).
const CLICKS = 3
const WITHIN_PX = 30
const WITHIN_MS = 1000

// A control that has shown nothing after half a second is one that people click again: within 0.1 s it seems to
// follow the hand, after 1 s the thought is lost. https://www.nngroup.com/articles/response-times-3-important-limits/
const ANSWER_MS = 500

/** The clicks that `next` continues, itself last; alone, if it is too far or too late to continue them. */
export const clickRun = <C extends Click>(run: readonly C[], next: C): C[] => {
  const last = run[run.length - 1]
  return last && Math.abs(next.x - last.x) + Math.abs(next.y - last.y) < WITHIN_PX && next.at - last.at < WITHIN_MS
    ? [...run, next]
    : [next]
}

// What people click quickly on purpose.
const PAGING = ['next', 'previous', 'prev', '>', '<']
const CONTROL = 'a, button, form, input, select, textarea, label'

/** Whether a text says one of these words: a word anywhere in it, a sign only as the whole of it. */
export const saysOneOf = (text: string, words: readonly string[]): boolean =>
  words.some((word) => (/\w/.test(word) ? ` ${text} `.includes(` ${word.toLowerCase()} `) : text === word))

const isExcluded = (
  path: readonly Element[],
  { css_selector_ignorelist, content_ignorelist }: RageclickConfig,
  { anyMatches, safeText }: ClickHost,
): boolean => {
  // Compatibility: an empty list switches rage clicks off (the specification, RageclickConfig).
  if (css_selector_ignorelist && (!css_selector_ignorelist.length || anyMatches(path, css_selector_ignorelist)))
    return true
  if (anyMatches(path, css_selector_ignorelist ? ['.ph-no-capture'] : ['.ph-no-rageclick', '.ph-no-capture']))
    return true
  const words = content_ignorelist === true ? PAGING : content_ignorelist || []
  // The control that was clicked says what it is for, not the region it stands in.
  const control = path.find((element) => element.matches(CONTROL)) ?? path[0]!
  return [safeText(control), control.getAttribute('aria-label') ?? ''].some((text) =>
    saysOneOf(text.toLowerCase().trim(), words),
  )
}

/**
 * `$rageclick` at the third quick click in one spot, once a run, if a click of the run went unanswered: nothing on the
 * page changed within half a second of it. Three clicks that each did something are somebody using a stepper or a
 * carousel; a control that answers one of three is one that somebody wants more of. The event has the third click's
 * time, and is told when that click's half second is over or the page is left.
 */
export const createRageClicks = (host: ClickHost, wait: Wait) => {
  const { config, capture, anyMatches, mayTell, describe } = host
  let run: AwaitedClick[] = []
  let awaited: AwaitedClick[] = []
  let verdicts: (() => void)[] = []
  const awaitedAt = (now: number) => (awaited = awaited.filter(({ at }) => now - at < ANSWER_MS))

  return {
    hear: ({ at }: Happening, effect: EffectKind | undefined): void => {
      // Another page that was only asked for shows nothing yet; where it is slow, people click again.
      if (!effect || effect === 'departure') return
      for (const click of awaitedAt(at)) click.isAnswered = true
    },
    click: ({ event, at, url }: Happening, path: readonly Element[]): void => {
      const { clientX, clientY } = event as MouseEvent
      const click = { x: clientX, y: clientY, at, url, isAnswered: false }
      run = clickRun(run, click)
      awaited.push(click)
      const options = typeof config.rageclick === 'object' ? config.rageclick : {}
      const isRage =
        config.rageclick &&
        run.length === CLICKS &&
        path.length &&
        !isExcluded(path, options, host) &&
        !anyMatches(path, UNACCUSED) &&
        mayTell(path)
      if (!isRage) return wait(at + ANSWER_MS, () => {})

      const clicks = run
      const { properties } = describe(path)
      const timestamp = new Date(Date.now() - (performance.now() - at))
      const judge = () => {
        verdicts = verdicts.filter((each) => each !== judge)
        if (config.rageclick && clicks.some((each) => !each.isAnswered && each.url === location.href))
          capture('$rageclick', properties, { timestamp })
      }
      verdicts.push(judge)
      wait(at + ANSWER_MS, () => verdicts.includes(judge) && judge())
    },
    isWaiting: (): boolean => awaitedAt(performance.now()).length > 0,
    /** The page goes: the last moment to tell. To be taken elsewhere is an answer to what was clicked just before. */
    leave: (): void => {
      for (const click of awaitedAt(performance.now())) click.isAnswered = true
      verdicts.forEach((judge) => judge())
    },
  }
}

import { listen } from '../browser/signal'
import type { Host } from '../host'
import type { RageclickConfig, Stop } from '../types'
import { safeText } from './autocapture/describeElement'
import { anyMatches, INTERACTIVE, pathOf, tagOf, targetOf } from './autocapture/elements'
import { mayCapture } from './autocapture/mayCapture'
import { describeEvent, maskingOf } from './autocapture/startAutocapture'

export interface Click {
  x: number
  y: number
  /** ms; the clock only has to run evenly. */
  at: number
}

// Compatibility: these three decide which clicks the product calls angry (protocol.md §12.6).
const CLICKS = 3
const WITHIN_PX = 30
const WITHIN_MS = 1000

/** The clicks that `next` continues, itself last; alone, if it is too far or too late to continue them. */
export const clickRun = (run: readonly Click[], next: Click): Click[] => {
  const last = run[run.length - 1]
  return last && Math.abs(next.x - last.x) + Math.abs(next.y - last.y) < WITHIN_PX && next.at - last.at < WITHIN_MS ? [...run, next] : [next]
}

// What people click quickly on purpose.
const PAGING = ['next', 'previous', 'prev', '>', '<']

/** Whether a text says one of these words: a word anywhere in it, a sign only as the whole of it. */
export const saysOneOf = (text: string, words: readonly string[]): boolean =>
  words.some((word) => (/\w/.test(word) ? ` ${text} `.includes(` ${word.toLowerCase()} `) : text === word))

const isExcluded = (path: readonly Element[], { css_selector_ignorelist, content_ignorelist }: RageclickConfig): boolean => {
  // Compatibility: an empty list switches rage clicks off (the specification, RageclickConfig).
  if (css_selector_ignorelist && (!css_selector_ignorelist.length || anyMatches(path, css_selector_ignorelist))) return true
  if (anyMatches(path, css_selector_ignorelist ? ['.ph-no-capture'] : ['.ph-no-rageclick', '.ph-no-capture'])) return true
  const words = content_ignorelist === true ? PAGING : content_ignorelist || []
  // The control that was clicked says what it is for, not the region it stands in.
  const control = path.find((element) => INTERACTIVE.test(tagOf(element))) ?? path[0]!
  return [safeText(control), control.getAttribute('aria-label') ?? ''].some((text) => saysOneOf(text.toLowerCase().trim(), words))
}

/** `$rageclick` at the third quick click in one spot, once a run. */
export const startRageClicks = ({ config, capture }: Host): Stop => {
  let run: Click[] = []
  return listen(document, ['click'], (event) => {
    const { clientX, clientY, timeStamp } = event as MouseEvent
    run = clickRun(run, { x: clientX, y: clientY, at: timeStamp })
    const target = run.length === CLICKS && targetOf(event)
    if (!target) return
    const path = pathOf(target)
    const options = typeof config.rageclick === 'object' ? config.rageclick : {}
    if (isExcluded(path, options) || !mayCapture('click', path, {})) return
    capture('$rageclick', describeEvent('click', path, maskingOf(config)))
  })
}

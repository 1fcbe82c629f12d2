import type { PageActivity } from '../../host'
import type { ClickHost } from './host'
import type { RageclickConfig } from '../../types'
import { IGNORED_SELECTORS, isToggled } from './ignoredSelectors'
import type { Timeline, WatchedClick } from './timeline'
import type { Wait } from './wait'

export interface Click {
  x: number
  y: number
  /** ms; the clock only has to run evenly. */
  at: number
}

interface RunClick extends Click, WatchedClick {
  url: string
}

// A control that has shown nothing after half a second is one that people click again: within 0.1 s it seems to
// follow the hand, after 1 s the thought is lost. https://www.nngroup.com/articles/response-times-3-important-limits/
const ANSWER_MS = 500
const RECHECK_MS = 500

/**
 * The clicks that `next` continues, itself last; alone, if it is too far or too late to continue them. Compatibility: the
 * defaults of all three thresholds are the protocol's (docs/reference/protocol.md#12.6).
 */
export const clickRun = <C extends Click>(
  run: readonly C[],
  next: C,
  { threshold_px = 30, timeout_ms = 1000 }: RageclickConfig = {},
): C[] => {
  const last = run[run.length - 1]
  return last && Math.abs(next.x - last.x) + Math.abs(next.y - last.y) < threshold_px && next.at - last.at < timeout_ms
    ? [...run, next]
    : [next]
}

// What people click quickly on purpose.
const PAGING = ['next', 'previous', 'prev', '>', '<']
const CONTROL = 'a, button, form, input, select, textarea, label'

/** Whether a text contains one of these words: a word anywhere in it, a sign only as the whole of it. */
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
  // The label of the clicked control counts, not that of the region around it.
  const control = path.find((element) => anyMatches([element], [CONTROL])) ?? path[0]!
  return [safeText(control), control.getAttribute('aria-label') ?? ''].some((text) =>
    saysOneOf(text.toLowerCase().trim(), words),
  )
}

/**
 * Captures `$rageclick` at the third quick click in one spot, once a run, if a click of the run went unanswered: no effect
 * within half a second. Three clicks that each had an effect are somebody using a stepper or a carousel. The event has
 * the third click's time. It is captured once that click's half second is over, or the page is left, which is no answer.
 */
export const createRageClicks = (host: ClickHost, wait: Wait, timeline: Timeline) => {
  const { config, capture, anyMatches, mayCapture, describe } = host
  let run: RunClick[] = []
  let lastClickAt = -Infinity
  let verdicts: ((isLast?: boolean) => void)[] = []

  // A requested page shows nothing yet; where it is slow, people click again. What changes later and elsewhere, people
  // who click one spot do not see.
  const answerTo = (click: RunClick) =>
    timeline.answerTo(
      click,
      (change) =>
        change.kind !== 'departure' &&
        change.at - click.at < ANSWER_MS &&
        (change.isInClickTask || !change.source || timeline.isNear(change, click.path)),
    )

  return {
    onClick: ({ event, at, url }: PageActivity, path: readonly Element[]): void => {
      const options = typeof config.rageclick === 'object' ? config.rageclick : {}
      const { clientX, clientY } = event as MouseEvent
      run = clickRun(run, { x: clientX, y: clientY, at, url, path }, options)
      lastClickAt = at
      const isCandidate =
        config.rageclick &&
        run.length === (options.click_count ?? 3) &&
        path.length &&
        !isExcluded(path, options, host) &&
        !anyMatches(path, IGNORED_SELECTORS) &&
        mayCapture(path)
      if (!isCandidate) return wait(at + ANSWER_MS, () => {})

      const clicks = run
      const { properties } = describe(path)
      const timestamp = new Date(Date.now() - (performance.now() - at))
      const decide = (isLast?: boolean) => {
        if (!verdicts.includes(decide)) return
        const answers =
          config.rageclick && !isToggled(path, event!)
            ? clicks.map((click) => click.url === location.href && answerTo(click))
            : []
        const isRage = answers.includes('unanswered')
        if (!isRage && !isLast && answers.includes('undecided')) return wait(performance.now() + RECHECK_MS, decide)
        verdicts = verdicts.filter((each) => each !== decide)
        if (isRage) capture('$rageclick', properties, { timestamp })
      }
      verdicts.push(decide)
      wait(at + ANSWER_MS, decide)
    },
    isWaiting: (): boolean => verdicts.length > 0 || performance.now() - lastClickAt < ANSWER_MS,
    /** The last moment to capture. */
    onPageLeave: (): void => verdicts.forEach((decide) => decide(true)),
  }
}

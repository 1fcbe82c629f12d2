import type { PageActivity } from '../../host'
import type { ClickHost } from './host'
import type { RageclickConfig } from '../../types'
import { IGNORED_SELECTORS, isToggled } from './ignoredSelectors'
import type { Timeline, WatchedClick } from './timeline'
import type { Wait } from './wait'

export interface Click {
  x: number
  y: number
  /** ms of any monotonic clock. */
  at: number
}

interface RunClick extends Click, WatchedClick {
  url: string
}

// People click a control again that shows no response within half a second: 0.1 s feels instant, and 1 s interrupts the
// user's flow of thought. https://www.nngroup.com/articles/response-times-3-important-limits/
const ANSWER_MS = 500
const RUN_MS = 1000
const RECHECK_MS = 500

/**
 * Returns the run of clicks that `next` continues, ending with it; `next` alone if it is too far away or too late. The
 * defaults of all three thresholds are the protocol's (docs/reference/protocol.md#12.6).
 */
export const clickRun = <C extends Click>(
  run: readonly C[],
  next: C,
  { threshold_px = 30, timeout_ms = RUN_MS }: RageclickConfig,
): C[] => {
  const last = run[run.length - 1]
  return last && Math.abs(next.x - last.x) + Math.abs(next.y - last.y) < threshold_px && next.at - last.at < timeout_ms
    ? [...run, next]
    : [next]
}

// Controls that people click quickly on purpose.
const PAGING = ['next', 'previous', 'prev', '>', '<']
const CONTROL = 'a, button, form, input, select, textarea, label'

/** Whether a string contains one of these words, or equals one of these signs. */
export const saysOneOf = (text: string, words: readonly string[]): boolean =>
  words.some((word) => (/\w/.test(word) ? ` ${text} `.includes(` ${word.toLowerCase()} `) : text === word))

const isExcluded = (
  path: readonly Element[],
  { css_selector_ignorelist, content_ignorelist }: RageclickConfig,
  { anyMatches, safeText }: ClickHost,
): boolean => {
  // An empty list turns rage clicks off (specification, RageclickConfig).
  if (css_selector_ignorelist?.length === 0) return true
  if (anyMatches(path, ['.ph-no-capture', ...(css_selector_ignorelist ?? ['.ph-no-rageclick'])])) return true
  const words = content_ignorelist === true ? PAGING : content_ignorelist || []
  // Uses the label of the clicked control, not that of the region around it.
  const control = path.find((element) => anyMatches([element], [CONTROL])) ?? path[0]!
  return [safeText(control), control.getAttribute('aria-label') ?? ''].some((text) =>
    saysOneOf(text.toLowerCase().trim(), words),
  )
}

/**
 * Captures `$rageclick` for the third quick click in one spot, once per run, if a click of the run had no effect within
 * half a second. Three clicks that each had an effect are use of a stepper or a carousel. The event has the third click's
 * time. It is captured half a second after that click, or when the page is left, which does not count as an effect.
 */
export const createRageClicks = (host: ClickHost, wait: Wait, timeline: Timeline) => {
  const { config, capture, anyMatches, mayCapture, describe } = host
  let run: RunClick[] = []
  let lastClickAt = -Infinity
  let runEndsAt = 0
  let verdicts: ((isLast?: boolean) => void)[] = []

  // A requested page shows nothing yet, and people click again if it is slow. They do not see later changes elsewhere.
  const answerTo = (click: RunClick) =>
    timeline.outcomeOf(
      click,
      (change) =>
        change.kind !== 'departure' &&
        change.at - click.at < ANSWER_MS &&
        (change.isInClickTask || !change.source || timeline.isNear(change, click.path)),
    )

  return {
    onClick: ({ event, at, url, moment }: PageActivity, path: readonly Element[]): void => {
      const options = typeof config.rageclick === 'object' ? config.rageclick : {}
      const { clientX, clientY } = event as MouseEvent
      const count = options.click_count ?? 3
      // After that, only the place and time of a run matter. Holding the elements would keep removed pages in memory.
      run = clickRun(run, { x: clientX, y: clientY, at, url, path }, options).slice(-count - 1)
      if (run.length > count) run = run.map((click) => ({ ...click, path: [] }))
      lastClickAt = at
      runEndsAt = at + (options.timeout_ms ?? RUN_MS)
      wait(runEndsAt)
      const isCandidate =
        config.rageclick &&
        run.length === count &&
        path.length &&
        !isExcluded(path, options, host) &&
        !anyMatches(path, IGNORED_SELECTORS) &&
        mayCapture(path)
      if (!isCandidate) return wait(at + ANSWER_MS)

      const clicks = run
      const { properties } = describe(path)
      const timestamp = new Date(Date.now() - (performance.now() - at))
      const decide = (isLast?: boolean) => {
        if (!verdicts.includes(decide)) return
        const outcomes =
          config.rageclick && !isToggled(path, event!)
            ? clicks.map((click) => click.url === location.href && answerTo(click))
            : []
        const isRage = outcomes.includes('unanswered')
        if (!isRage && !isLast && outcomes.includes('undecided')) return wait(performance.now() + RECHECK_MS, decide)
        verdicts = verdicts.filter((each) => each !== decide)
        if (isRage) capture('$rageclick', properties, { timestamp }, moment)
      }
      verdicts.push(decide)
      wait(at + ANSWER_MS, decide)
    },
    isWaiting: (): boolean => verdicts.length > 0 || performance.now() - lastClickAt < ANSWER_MS,
    /** Whether the next click can continue the run. */
    isRunning: (): boolean => performance.now() < runEndsAt,
    /** Called when the page is left or another person comes: the last chance to capture. */
    onLeave: (): void => verdicts.forEach((decide) => decide(true)),
  }
}

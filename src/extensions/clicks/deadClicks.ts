import type { ClickHost, ElementDescription, Happening } from '../../host'
import type { Properties } from '../../types'
import { type EffectKind, INPUT } from './effects'
import { UNACCUSED } from './unaccused'
import type { Wait } from './wait'

/** How soon something has to come after a click to be its effect, ms (protocol.md §12.6). */
const WITHIN_MS: Record<EffectKind, number> = {
  mutation: 2500,
  scroll: 2500,
  selection_changed: 2500,
  visibility_changed: 1000,
  focus_changed: 1000,
  response: Infinity,
  departure: Infinity,
}
// A person who goes on in the meantime scrolls and marks text by themselves: then only what came at once is an effect.
// Who does nothing has not; a slow device needs more than that for its next frame.
const WITHIN_MS_AFTER_INPUT: Partial<Record<EffectKind, number>> = { scroll: 100, selection_changed: 100 }
const VERDICT_MS = 2750
// The same element is not accused twice by one impatient hand.
const AGAIN_MS = 1000

const EXCLUDED = ['.ph-no-deadclick', '.ph-no-capture', '.toolbar-global-fade-container', 'a', ...UNACCUSED]

interface Candidate {
  at: number
  url: string
  timestamp: Date
  path: readonly Element[]
  hadInput: boolean
  /** What came too late, and how late. */
  delays: Partial<Record<EffectKind, number>>
}

const toElement = ({ tag, classes, attributes, text, nthChild, nthOfType }: ElementDescription): Properties => ({
  tag_name: tag,
  ...(text ? { $el_text: text } : {}),
  ...(classes.length ? { classes } : {}),
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`attr__${name}`, value])),
  nth_child: nthChild,
  nth_of_type: nthOfType,
})

const withModifier = ({ ctrlKey, metaKey, altKey, shiftKey }: MouseEvent) => ctrlKey || metaKey || altKey || shiftKey

const isMarked = (element: Element) => {
  const selection = getSelection()
  return selection?.isCollapsed === false && selection.getRangeAt(0).intersectsNode(element)
}

/** `$dead_click` for a click that nothing on the page followed. A page that is left within the wait has followed it. */
export const createDeadClicks = ({ config, capture, anyMatches, describe }: ClickHost, wait: Wait) => {
  let candidates: Candidate[] = []
  const clickedAt = new WeakMap<Element, number>()
  let wokenAt = -Infinity

  const judge = (candidate: Candidate) => {
    if (!candidates.includes(candidate)) return
    candidates = candidates.filter((each) => each !== candidate)
    const { at, url, timestamp, path, delays } = candidate
    if (!config.capture_dead_clicks || url !== location.href) return
    const { properties, elements } = describe(path)
    const clickedMs = timestamp.getTime()
    capture(
      '$dead_click',
      {
        ...properties,
        $elements: elements.map(toElement),
        $dead_click_event_timestamp: clickedMs,
        ...(delays.mutation ? { $dead_click_last_mutation_timestamp: clickedMs + delays.mutation } : {}),
        $dead_click_mutation_timeout: !!delays.mutation,
        $dead_click_scroll_timeout: !!delays.scroll,
        $dead_click_selection_changed_timeout: !!delays.selection_changed,
        $dead_click_visibility_changed_timeout: false,
        $dead_click_absolute_timeout: true,
        ...Object.fromEntries(Object.entries(delays).map(([kind, ms]) => [`$dead_click_${kind}_delay_ms`, ms])),
        $dead_click_absolute_delay_ms: Math.round(performance.now() - at),
      },
      { timestamp },
    )
  }

  return {
    hear: (happening: Happening, effect: EffectKind | undefined): void => {
      if (effect === 'visibility_changed' || effect === 'focus_changed') wokenAt = happening.at
      candidates = candidates.filter((candidate) => {
        const { at, delays, hadInput } = candidate
        candidate.hadInput ||= INPUT.includes(happening.type)
        if (!effect) return true
        const delay = happening.at - at
        delays[effect] ??= Math.round(delay)
        return delay >= ((hadInput && WITHIN_MS_AFTER_INPUT[effect]) || WITHIN_MS[effect])
      })
    },
    click: ({ event, at, url }: Happening, path: readonly Element[]): void => {
      const target = path[0]
      // The page's own ground is no control.
      if (
        !config.capture_dead_clicks ||
        !target ||
        target === document.body ||
        withModifier(event as MouseEvent) ||
        anyMatches(path, EXCLUDED)
      )
        return
      // The end of marking a text with the mouse, or of an absence.
      if (isMarked(target)) return
      if (at - wokenAt < WITHIN_MS.focus_changed || at - (clickedAt.get(target) ?? -Infinity) < AGAIN_MS) return
      clickedAt.set(target, at)
      const candidate = {
        at,
        url,
        timestamp: new Date(Date.now() - (performance.now() - at)),
        path,
        hadInput: false,
        delays: {},
      }
      candidates.push(candidate)
      wait(at + VERDICT_MS, () => judge(candidate))
    },
    /** Whether a click still waits for its effect. */
    isWaiting: (): boolean => candidates.length > 0,
    leave: (): void => {
      candidates = []
    },
  }
}

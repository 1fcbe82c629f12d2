import type { Moment } from '../../lib/moment'
import type { ElementDescription, PageActivity } from '../../host'
import type { ClickHost } from './host'
import type { Properties } from '../../types'
import { IGNORED_SELECTORS, isToggled, MEDIA } from './ignoredSelectors'
import { type Swipe, swipeOptions } from './swipes'
import type { Change, EffectKind, Timeline, WatchedClick } from './timeline'
import type { Wait } from './wait'

/** How soon after a click a change counts as its effect, ms (docs/reference/protocol.md#12.6). Others always count. */
const WITHIN_MS: Partial<Record<EffectKind, number>> = {
  mutation: 2500,
  scroll: 2500,
  selection_changed: 2500,
  visibility_changed: 1000,
  focus_changed: 1000,
}
// A person who scrolls or selects text after the click causes changes, so only immediate ones count as effects.
const WITHIN_MS_AFTER_INPUT: Partial<Record<EffectKind, number>> = { scroll: 100, selection_changed: 100 }
const VERDICT_MS = 2750
const RECHECK_MS = 500
// At most one dead click per second.
const AGAIN_MS = 1000
// A click that brings the window to the front is not dead.
const ABSENCE_MS = 1000

const EXCLUDED = ['.ph-no-deadclick', '.ph-no-capture', '.toolbar-global-fade-container']
const EXCLUDED_FOR_CLICKS = [...EXCLUDED, 'a', ...IGNORED_SELECTORS]
const EXCLUDED_FOR_SWIPES = [...EXCLUDED, MEDIA]

interface Candidate extends WatchedClick {
  swipe?: Swipe
  url: string
  timestamp: Date
  event: Event
  moment?: Moment
}

const toElement = ({ tag, classes, attributes, text, nthChild, nthOfType }: ElementDescription): Properties => ({
  tag_name: tag,
  $el_text: text || undefined,
  classes: classes.length ? classes : undefined,
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`attr__${name}`, value])),
  nth_child: nthChild,
  nth_of_type: nthOfType,
})

const withModifier = ({ ctrlKey, metaKey, altKey, shiftKey }: MouseEvent) => ctrlKey || metaKey || altKey || shiftKey

const isSelected = (element: Element) => {
  const selection = getSelection()
  return selection?.isCollapsed === false && selection.getRangeAt(0).intersectsNode(element)
}

/**
 * Captures `$dead_click` for a click, and `$dead_swipe` for a swipe, that the page did not respond to. Leaving the page
 * within the wait is a response, and so is another person.
 */
export const createDeadClicks = (
  { config, capture, anyMatches, describe }: ClickHost,
  wait: Wait,
  timeline: Timeline,
) => {
  let candidates: Candidate[] = []
  const clickedAt = new WeakMap<EventTarget, number>()
  let activatedAt = -Infinity
  /** Number of dead swipes. */
  let swipes = 0
  const maxSwipes = () => swipeOptions(config).max_dead_swipes_per_page_load ?? 10

  const isInTime = ({ at }: Candidate, change: Change) =>
    change.at - at <
    ((timeline.hadInput(at, change.at) && WITHIN_MS_AFTER_INPUT[change.kind]) || (WITHIN_MS[change.kind] ?? Infinity))

  const report = (candidate: Candidate) => {
    const { at, timestamp, path, moment, swipe } = candidate
    const name = swipe ? '$dead_swipe' : '$dead_click'
    const { properties, elements } = describe(path)
    const clickedMs = timestamp.getTime()
    // The first late change of each kind.
    const delays: Partial<Record<EffectKind, number>> = {}
    for (const change of timeline.changesSince(at))
      if (!isInTime(candidate, change) && !timeline.isNoise(change, candidate))
        delays[change.kind] ??= Math.round(change.at - at)
    const details = {
      event_timestamp: clickedMs,
      last_mutation_timestamp: delays.mutation && clickedMs + delays.mutation,
      mutation_timeout: !!delays.mutation,
      scroll_timeout: !!delays.scroll,
      selection_changed_timeout: !!delays.selection_changed,
      visibility_changed_timeout: false,
      absolute_timeout: true,
      ...Object.fromEntries(Object.entries(delays).map(([kind, ms]) => [`${kind}_delay_ms`, ms])),
      absolute_delay_ms: Math.round(performance.now() - at),
      ...(swipe && { direction: swipe.direction, distance_px: swipe.distance }),
    }
    capture(
      name,
      {
        ...properties,
        ...(swipe && { $event_type: 'touchend' }),
        $elements: elements.map(toElement),
        ...Object.fromEntries(Object.entries(details).map(([detail, value]) => [`${name}_${detail}`, value])),
      },
      { timestamp },
      moment,
    )
  }

  const decide = (candidate: Candidate) => {
    if (!candidates.includes(candidate)) return
    const { path, event, url } = candidate
    const mayReport = config.capture_dead_clicks && url === location.href && !isToggled(path, event)
    const outcome = mayReport && timeline.outcomeOf(candidate, (change) => isInTime(candidate, change))
    if (outcome === 'undecided') return wait(performance.now() + RECHECK_MS, () => decide(candidate))
    candidates = candidates.filter((each) => each !== candidate)
    if (outcome === 'unanswered' && !(candidate.swipe && swipes++ >= maxSwipes())) report(candidate)
  }
  const watch = (activity: PageActivity, path: readonly Element[], swipe?: Swipe) => {
    const { event, at, url, moment } = activity
    const target = path[0]
    if (
      !config.capture_dead_clicks ||
      !target ||
      // Clicks on the page background are not dead clicks.
      target.matches('body') ||
      anyMatches(path, swipe ? EXCLUDED_FOR_SWIPES : EXCLUDED_FOR_CLICKS) ||
      // The click ends a text selection by mouse, or brings the person back to the window.
      isSelected(target) ||
      at - activatedAt < ABSENCE_MS ||
      at - (clickedAt.get(target) ?? -Infinity) < AGAIN_MS
    )
      return
    clickedAt.set(target, at)
    const timestamp = new Date(Date.now() - (performance.now() - at))
    const candidate = { at, url, timestamp, path, event: event!, moment, swipe }
    candidates.push(candidate)
    wait(at + VERDICT_MS, () => decide(candidate))
  }

  return {
    onActivity: ({ at, type }: PageActivity, changes: readonly Change[]): void => {
      if (/^(visibilitychange|focus|blur)$/.test(type)) activatedAt = at
      candidates = candidates.filter(
        (candidate) => !changes.some((change) => timeline.isCertain(change, candidate) && isInTime(candidate, change)),
      )
    },
    onClick: (activity: PageActivity, path: readonly Element[]): void => {
      if (!withModifier(activity.event as MouseEvent)) watch(activity, path)
    },
    onSwipe: (activity: PageActivity, path: readonly Element[], swipe: Swipe): void => {
      // Most swipes scroll.
      if (!timeline.changesSince(activity.at).length) watch(activity, path, swipe)
    },
    /** Whether a click is still waiting for an effect. */
    isWaiting: (): boolean => candidates.length > 0,
    onLeave: (): void => {
      candidates = []
    },
  }
}

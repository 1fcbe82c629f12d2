import type { PageActivity } from '../../host'
import { TEXT_INPUT } from './ignoredSelectors'

/** `response`: the page did something that changes no element. `departure`: another document was requested. */
export type EffectKind =
  | 'mutation'
  | 'scroll'
  | 'selection_changed'
  | 'visibility_changed'
  | 'focus_changed'
  | 'response'
  | 'departure'

const KINDS: Record<string, EffectKind> = {
  scroll: 'scroll',
  selectionchange: 'selection_changed',
  visibilitychange: 'visibility_changed',
  focus: 'focus_changed',
  blur: 'focus_changed',
  navigate: 'departure',
}

/** How a person scrolls and selects text. */
export const INPUT = ['wheel', 'touchmove', 'keydown', 'pointerdown']

// Carousels scroll and videos loop by themselves, so these are judged like mutations.
const UNPROMPTED = ['scroll', 'play', 'pause', 'seeking', 'volumechange']

// Code, metadata, and resource hints.
const UNSEEN = 'script, template, meta, title, link[rel*=pre]'
const TEXT_FIELD = `textarea, [contenteditable], ${TEXT_INPUT}`
const CONTROL = 'a, button, input, label, summary, [role=button]'

// A change this long after every click is the page's own.
const CLICK_EFFECT_MS = 2500
// Long enough for a carousel to move again.
const PROBATION_MS = 10_000
const MAX_CHANGES = 2000
// How much longer than its interval a pause may be, because timers of a busy page fire late.
const LATENESS = 1.25
// How many levels above the clicked element its surroundings reach.
const NEAR_LEVELS = 3

/** A visible change of the page. */
export interface Change {
  kind: EffectKind
  at: number
  isInClickTask: boolean
  /** What changed; unset for changes that pages only make in response to a person. */
  source?: Element
  /** A changed attribute, and its former value. */
  attribute?: string | null
  former?: string | null
  /** Whether nodes were only removed. */
  isRemoval?: boolean
  /** The added nodes, if they have no words and nothing else changed. */
  wordless?: readonly Node[]
  isUndone?: boolean
}

/** A click and its possible effects. */
export interface WatchedClick {
  at: number
  path: readonly Element[]
}

export type Outcome = 'answered' | 'unanswered' | 'undecided'

// Not the element's own methods, because a form's fields can hide them.
const matches = (target: unknown, selector: string) =>
  target instanceof Element && Element.prototype.matches.call(target, selector)
const isSame = (name: string, before: unknown, after: unknown) =>
  before === after || (/^(class|style)$/.test(name) && !before && !after)
const hasWords = (node: Node) => !!String(node.textContent).trim()
const isSeen = (node: Node) =>
  node instanceof Element ? !matches(node, UNSEEN) : node instanceof Text && hasWords(node)

/** Whether a change is near a clicked element: up to three levels above it, but not on the page as a whole; or moves it. */
const isNear = ({ kind, source }: Change, path: readonly Element[]): boolean => {
  const around = path
    .slice(0, NEAR_LEVELS + 1)
    .filter((element, level) => level < 2 || !element.matches('body'))
    .pop()!
  const { host } = Node.prototype.getRootNode.call(source) as Partial<ShadowRoot>
  return around.contains(source!) || around.contains(host ?? null) || (kind === 'scroll' && source!.contains(path[0]!))
}

const controlOf = (path: readonly Element[]) => path.find((element) => matches(element, CONTROL)) ?? path[0]!

/** Whether a change is press feedback of the clicked control, or shows no words, so that it counts only if it lasts. */
const isFeedback = ({ attribute, wordless, source }: Change, { path }: WatchedClick): boolean =>
  !!wordless || (!!attribute && (controlOf(path).contains(source!) || !hasWords(source!)))

/** Whether a change is certainly the click's effect. */
const isCertain = (change: Change, click: WatchedClick): boolean =>
  (change.isInClickTask || !change.source) && !isFeedback(change, click)

/** When an event of this type is an effect. */
const CONDITIONS: Record<string, (activity: PageActivity) => boolean> = {
  // Every click into text moves the caret, which is visible only in editable text.
  selectionchange: () => getSelection()?.isCollapsed === false,
  // Every clicked button gets the focus (PostHog/posthog-js#4503). A field that gets it was opened for typing.
  focusin: ({ target }) => matches(target, TEXT_FIELD),
}

/** Remembers what changed on the page, and decides whether a click caused any of it. */
export const createTimeline = () => {
  let changes: Change[] = []
  let clicks: number[] = []
  let inputs: number[] = []
  let pressedAt = Infinity

  /** Marks press feedback that a mutation removes, such as a ripple or a spinner, as undone. Returns whether there is any. */
  const undo = ({ target, attributeName, removedNodes }: MutationRecord, value: unknown): boolean => {
    const lastClick = clicks[clicks.length - 1] ?? 0
    const undone = changes.filter(
      (change) =>
        (change.isInClickTask || change.at >= lastClick) &&
        (attributeName
          ? change.source === target &&
            change.attribute === attributeName &&
            isSame(attributeName, change.former, value)
          : change.wordless?.some((node) => [...removedNodes].includes(node))),
    )
    for (const change of undone) change.isUndone = true
    return undone.length > 0
  }

  const toMutations = ({ records, values, at, isInClickTask }: PageActivity): Change[] => {
    // Changes of a new element are part of its addition.
    const fresh = [
      ...records!.flatMap(({ addedNodes }) => [...addedNodes]),
      ...changes.flatMap(({ wordless }) => wordless ?? []),
    ]
    return records!.flatMap((record, index): Change | [] => {
      const { type, target, attributeName: attribute, oldValue: former, addedNodes, removedNodes } = record
      const source = target instanceof Element ? target : (target.parentElement ?? (target as Partial<ShadowRoot>).host)
      if (!source || matches(source, UNSEEN) || (!isInClickTask && undo(record, values![index]))) return []
      if (
        attribute &&
        (attribute === 'aria-busy' ||
          isSame(attribute, former, values![index]) ||
          fresh.some((node) => node.contains(source)))
      )
        return []
      const nodes = [...addedNodes, ...removedNodes]
      const isList = type === 'childList'
      if (isList && !nodes.some(isSeen)) return []
      return {
        kind: 'mutation',
        at,
        isInClickTask,
        source,
        attribute,
        former,
        isRemoval: isList && !addedNodes.length,
        wordless: isList && !removedNodes.length && !nodes.some(hasWords) ? nodes : undefined,
      }
    })
  }

  const toChanges = (activity: PageActivity): Change[] => {
    const { type, at, target } = activity
    if (type === 'mutation') return toMutations(activity)
    // What a person does next is not an effect of a click.
    if (/^(click|swipe)$/.test(type) || INPUT.includes(type) || !(CONDITIONS[type]?.(activity) ?? true)) return []
    const source = UNPROMPTED.includes(type) ? (target as Element) : undefined
    // Browsers dispatch the unprompted ones in separate tasks.
    return [{ kind: KINDS[type] ?? 'response', at, isInClickTask: false, source }]
  }

  const isAlone = (at: number) => !clicks.some((click) => at >= click && at - click < CLICK_EFFECT_MS)

  /**
   * Whether the page makes such changes without clicks: it did before the click, or does again when no click can be the
   * cause.
   */
  const isNoise = (change: Change, { at, path }: WatchedClick): boolean => {
    // Only removing nodes ends something, such as a notification.
    const same = changes.filter(({ source, isRemoval }) => source === change.source && !isRemoval)
    const times = [...new Set(same.map((each) => each.at))]
    const alone = times.filter(isAlone)
    const first = times.find((time) => time >= at)!
    const pauses = alone.map((time) => time - times[times.indexOf(time) - 1]!).sort((one, other) => other - one)
    // Ignores the longest of three or more pauses, because a long task can delay a timer.
    const longestPause = pauses[alone.length > 2 ? 1 : 0]!
    // A response does not pause for longer than it took to begin. One that does is noise. Near the control one change
    // after such a pause is allowed, because it may be the end of the response.
    return (
      alone[0]! < at ||
      (alone[0]! > first &&
        alone.length > (change.source && isNear(change, path) ? 1 : 0) &&
        (first - at) * LATENESS < longestPause)
    )
  }

  const changesSince = (at: number): Change[] => changes.filter((change) => change.at >= at && !change.isUndone)

  return {
    /** Adds an activity and returns it. */
    add: (activity: PageActivity): Change[] => {
      const { type, at } = activity
      if (type === 'pointerdown') pressedAt = at
      if (type === 'click' || type === 'swipe') {
        clicks = [...clicks.filter((click) => at - click < PROBATION_MS + CLICK_EFFECT_MS), at]
        changes = changes.filter((change) => at - change.at < PROBATION_MS)
        inputs = inputs.filter((input) => at - input < PROBATION_MS)
        // Menus open when the button goes down, and a swipe shows its effect while it lasts.
        for (const change of changes) if (change.at >= pressedAt) change.at = at
        pressedAt = Infinity
      }
      if (INPUT.includes(type)) inputs.push(at)
      const added = toChanges(activity)
      changes = [...changes, ...added].slice(-MAX_CHANGES)
      return added
    },
    /** Forgets removed elements, so that they do not stay in memory: no later click has an effect on them. */
    forget: (): void => {
      changes = changes.filter(({ source }) => source?.isConnected !== false)
      for (const change of changes) change.wordless = change.wordless?.filter((node) => node.isConnected)
    },
    isCertain,
    isNear,
    isNoise,
    changesSince,
    /** Whether a person scrolled or typed between two times. */
    hadInput: (from: number, to: number): boolean => inputs.some((input) => input > from && input <= to),
    /** Returns whether a click had an effect, as far as is known now. `counts`: which changes came in time and near enough. */
    outcomeOf: (click: WatchedClick, counts: (change: Change) => boolean): Outcome => {
      const effects = changesSince(click.at).filter(counts)
      if (effects.some((change) => isCertain(change, click))) return 'answered'
      const waited = performance.now() - click.at
      if (effects.some((change) => change.isInClickTask)) return waited > CLICK_EFFECT_MS ? 'answered' : 'undecided'
      if (effects.every((change) => isNoise(change, click))) return 'unanswered'
      return waited > PROBATION_MS ? 'answered' : 'undecided'
    },
  }
}

export type Timeline = ReturnType<typeof createTimeline>

/** How much is not recorded, from nothing to everything. Each step includes the previous ones. */
export const STEPS = ['none', 'coalesce', 'block', 'pause', 'stop'] as const
export type Step = (typeof STEPS)[number]

// Changes of the page per second that rrweb handles within 5 % of a slow core.
const COALESCE_ABOVE = 1000
// Coalesced changes per second that are too many to store.
const BLOCK_ABOVE = 2000
const RECOVER_BELOW = 300
const WORSE_AFTER_S = 3
const BETTER_AFTER_S = 10
const MAX_PAUSES = 3
/** Characters of JSON, about a tenth of it compressed. */
export const MAX_PER_MINUTE = 10e6
export const MAX_PER_SESSION = 150e6
/** The service hardly takes a full snapshot of more elements: its 2 million keys and values are 20 for each of these. */
export const MAX_ELEMENTS = 100_000
export const PAUSE_MS = 10_000
/** Changes of the page during a pause that make it last another time. */
export const MAX_IN_PAUSE = 10_000

/** What the budget remembers from second to second. */
export interface Load {
  step: Step
  /** Seconds in a row that were too busy, and quiet enough. */
  busy: number
  quiet: number
  pauses: number
}

export const NO_LOAD: Load = { step: 'none', busy: 0, quiet: 0, pauses: 0 }

/**
 * Returns the load after a second with this many changes. Called each second while recording. `canBlock`: whether most
 * changes are in one part of the page. A pause ends when the page is quiet.
 */
export const nextLoad = (
  load: Load,
  { changes, minute, session, canBlock }: { changes: number; minute: number; session: number; canBlock: boolean },
): Load => {
  const { step, pauses } = load
  const begin = (next: Step): Load => ({ ...NO_LOAD, step: next, pauses })
  const pause = (): Load => ({ ...begin(pauses >= MAX_PAUSES ? 'stop' : 'pause'), pauses: pauses + 1 })
  if (session > MAX_PER_SESSION || step === 'stop') return { ...load, step: 'stop' }
  if (minute > MAX_PER_MINUTE) return pause()
  if (step === 'none' || step === 'pause') return begin(changes > COALESCE_ABOVE ? 'coalesce' : 'none')
  const busy = changes > BLOCK_ABOVE ? load.busy + 1 : 0
  const quiet = changes < RECOVER_BELOW ? load.quiet + 1 : 0
  if (quiet >= BETTER_AFTER_S) return begin('none')
  if (busy < WORSE_AFTER_S) return { step, busy, quiet, pauses }
  return step === 'coalesce' && canBlock ? begin('block') : pause()
}

/** Returns the smallest element below the body that contains most of these nodes; undefined if there is none. */
export const busiestElement = (nodes: readonly Node[]): Element | undefined => {
  const counts = new Map<Element, number>()
  for (const node of nodes)
    for (let each: Node | null = node; each; each = each.parentNode ?? (each as Partial<ShadowRoot>).host ?? null)
      if (each.nodeType === 1) counts.set(each as Element, (counts.get(each as Element) ?? 0) + 1)
  const most = [...counts].filter(
    ([element, count]) => count >= nodes.length * 0.8 && !/^(html|head|body)$/i.test(element.tagName),
  )
  return most.find(([element]) => !most.some(([other]) => other !== element && element.contains(other)))?.[0]
}

const BUCKET = 100
const REFILL_PER_S = 10

/** Limits how often attributes of one node are recorded, such as those that an animation sets: 100 times, then 10 times a second. */
export const createAttributeBucket = (now = () => performance.now()) => {
  const buckets = new Map<number, { left: number; at: number }>()
  const refilled = ({ left, at }: { left: number; at: number }) =>
    Math.min(BUCKET, left + ((now() - at) / 1000) * REFILL_PER_S)
  return {
    /** Whether another change of the node may be recorded now. */
    takes: (id: number): boolean => {
      const bucket = buckets.get(id)
      const left = bucket ? refilled(bucket) : BUCKET
      const takes = left >= 1
      buckets.set(id, { left: takes ? left - 1 : left, at: now() })
      return takes
    },
    /** Forgets nodes that have not changed lately. */
    trim: (): void => {
      for (const [id, bucket] of buckets) if (refilled(bucket) >= BUCKET) buckets.delete(id)
    },
  }
}

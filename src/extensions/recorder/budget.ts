/** How much is left out, from nothing to everything. Each step includes the ones before. */
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
/** A first snapshot of more elements would block the page for too long. */
export const MAX_ELEMENTS = 50_000
export const PAUSE_MS = 10_000

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
 * Returns the load after a second with this many changes. Called each second while recording. `canBlock`: whether most changes are in one part
 * of the page. A pause ends by itself; the load then continues where it began.
 */
export const nextLoad = (
  load: Load,
  { changes, minute, session, canBlock }: { changes: number; minute: number; session: number; canBlock: boolean },
): Load => {
  const { step, pauses } = load
  const pause = (): Load => ({ step: pauses >= MAX_PAUSES ? 'stop' : 'pause', busy: 0, quiet: 0, pauses: pauses + 1 })
  if (session > MAX_PER_SESSION || step === 'stop') return { ...load, step: 'stop' }
  if (minute > MAX_PER_MINUTE) return pause()
  if (step === 'none' || step === 'pause')
    return changes > COALESCE_ABOVE
      ? { step: 'coalesce', busy: 0, quiet: 0, pauses }
      : { step: 'none', busy: 0, quiet: 0, pauses }
  const busy = changes > BLOCK_ABOVE ? load.busy + 1 : 0
  const quiet = changes < RECOVER_BELOW ? load.quiet + 1 : 0
  if (quiet >= BETTER_AFTER_S) return { step: 'none', busy: 0, quiet: 0, pauses }
  if (busy < WORSE_AFTER_S) return { step, busy, quiet, pauses }
  return step === 'coalesce' && canBlock ? { step: 'block', busy: 0, quiet: 0, pauses } : pause()
}

/** The smallest element that has most of these nodes in it, below the body; undefined if there is none. */
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
  return {
    /** Whether another change of the node may be recorded now. */
    takes: (id: number): boolean => {
      const at = now()
      const bucket = buckets.get(id) ?? { left: BUCKET, at }
      bucket.left = Math.min(BUCKET, bucket.left + ((at - bucket.at) / 1000) * REFILL_PER_S)
      bucket.at = at
      buckets.set(id, bucket)
      if (bucket.left < 1) return false
      bucket.left -= 1
      return true
    },
    /** Forgets nodes that have not changed lately. */
    trim: (): void => {
      const at = now()
      for (const [id, bucket] of buckets)
        if (bucket.left + ((at - bucket.at) / 1000) * REFILL_PER_S >= BUCKET) buckets.delete(id)
    },
  }
}

import type { Log } from '../lib/log'
import { createNotices } from '../lib/notices'
import type { CapturedEvent, DroppedEvent, DropReason, Explanation } from '../types'

// Enough for what a person looks at; an older event has been delivered, or is counted by `drops()`.
const MAX_EXPLANATIONS = 200

export type Ledger = ReturnType<typeof createLedger>

/**
 * Records what becomes of events: for `drops`, `explain`, listeners and the console of `debug`. `stages` are the names of
 * all stages, in order.
 */
export const createLedger = (log: Log) => {
  const { on, tell } = createNotices()
  const counts: Partial<Record<DropReason, number>> = {}
  /** The latest events, newest first. */
  const all: Explanation[] = []
  const add = (entry: Omit<Explanation, 'at'>) => {
    all.unshift({ ...entry, at: new Date() })
    all.length = Math.min(all.length, MAX_EXPLANATIONS)
  }
  return {
    on,
    tell,
    captured: (captured: CapturedEvent, stages: readonly string[]): void => {
      const { event, uuid } = captured
      add({ event, uuid, stages, state: 'waiting' })
      log.info('captured', event, captured)
      tell('eventCaptured', captured)
    },
    delivered: (uuids: string[]): void => {
      for (const each of all) if (uuids.includes(each.uuid!)) each.state = 'delivered'
      tell('eventsDelivered', { uuids })
    },
    dropped: (dropped: DroppedEvent, stages: readonly string[] = []): void => {
      const { event, uuid, reason, stage } = dropped
      counts[reason] = (counts[reason] ?? 0) + 1
      const known = all.find((each) => uuid && each.uuid === uuid)
      if (known) Object.assign(known, { state: 'dropped', reason })
      else add({ event, uuid, reason, state: 'dropped', stages: stages.slice(0, stages.indexOf(stage!) + 1) })
      log.info('dropped', event, reason)
      tell('eventDropped', dropped)
    },
    drops: () => ({ ...counts }),
    /** Those of this uuid or of this name; all of them without either. */
    explain: (which?: string | { uuid?: string }): Explanation[] => {
      const wanted = typeof which === 'object' ? which?.uuid : which
      return all
        .filter(({ event, uuid }) => !wanted || event === wanted || uuid === wanted)
        .map((each) => ({ ...each }))
    },
  }
}

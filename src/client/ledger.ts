import type { Log } from '../lib/log'
import { createNotices } from '../lib/notices'
import { own } from '../lib/objects'
import type { CapturedEvent, DroppedEvent, DropReason, Explanation } from '../types'

// Enough for debugging. `drops()` also counts older events.
const MAX_EXPLANATIONS = 200

export type Ledger = ReturnType<typeof createLedger>

/** Records what happens to events, for `drops`, `explain`, listeners and `debug`. */
export const createLedger = (log: Log) => {
  const { on, emit } = createNotices()
  const counts: Partial<Record<DropReason, number>> = {}
  /** The latest events, newest first. */
  const all: Explanation[] = []
  const states: Record<string, (() => Pick<Explanation, 'state' | 'reason'>) | undefined> = {}
  const add = (entry: Omit<Explanation, 'at'>) => {
    all.unshift({ ...entry, at: new Date() })
    all.length = Math.min(all.length, MAX_EXPLANATIONS)
  }
  /** Counts a dropped event and logs it. `stages`: the names of all stages, if one of them dropped it. */
  const dropped = (event: DroppedEvent, stages: readonly string[] = []): void => {
    const { uuid, reason } = event
    counts[reason] = (counts[reason] ?? 0) + 1
    const known = all.find((each) => uuid && each.uuid === uuid)
    if (known) Object.assign(known, { state: 'dropped', reason })
    else
      add({
        event: event.event,
        uuid,
        reason,
        state: 'dropped',
        stages: stages.slice(0, stages.indexOf(event.stage!) + 1),
      })
    log.info('dropped', event.event, reason)
    emit('eventDropped', event)
  }
  return {
    on,
    dropped,
    /** Drops an event that has left the pipeline. */
    lost: ({ event, uuid }: { event: string; uuid: string }, reason: DropReason): void =>
      dropped({ event, uuid, reason }),
    reloadingFlags: (): void => emit('featureFlagsReloading', true),
    captured: (captured: CapturedEvent, stages: readonly string[]): void => {
      const { event, uuid } = captured
      add({ event, uuid, stages, state: 'waiting' })
      log.info('captured', event, captured)
      emit('eventCaptured', captured)
    },
    delivered: (uuids: string[]): void => {
      const delivered = new Set<string | undefined>(uuids)
      for (const each of all) if (delivered.has(each.uuid)) each.state = 'delivered'
      emit('eventsDelivered', { uuids })
    },
    drops: () => ({ ...counts }),
    /** Adds to what `explain` returns for a name the state of what is not one event, such as a recording. */
    explainBy: (name: string, state: () => Pick<Explanation, 'state' | 'reason'>): void => {
      states[name] = state
    },
    /** Returns the latest events of a uuid or name, or all of them. */
    explain: (which?: string | { uuid?: string }): Explanation[] => {
      const wanted = typeof which === 'object' ? which?.uuid : which
      const state = wanted ? own(states, wanted)?.() : undefined
      return [
        ...(state ? [{ event: wanted!, at: new Date(), stages: [], ...state }] : []),
        ...all.filter(({ event, uuid }) => !wanted || event === wanted || uuid === wanted).map((each) => ({ ...each })),
      ]
    },
  }
}

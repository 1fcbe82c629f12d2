import type { DroppedEvent, Explanation } from '../types'

// Enough for what a person looks at; an older event has been delivered, or is counted by `drops()`.
const MOST = 200

/** What became of the latest events, newest first. `stages`: the names of all stages, in order. */
export const createExplanations = () => {
  const all: Explanation[] = []
  const add = (entry: Omit<Explanation, 'at'>) => {
    all.unshift({ ...entry, at: new Date() })
    all.length = Math.min(all.length, MOST)
  }
  return {
    captured: (event: string, uuid: string, stages: readonly string[]): void =>
      add({ event, uuid, stages, state: 'waiting' }),
    delivered: (uuids: readonly string[]): void => {
      for (const each of all) if (uuids.includes(each.uuid!)) each.state = 'delivered'
    },
    dropped: ({ event, uuid, reason, stage }: DroppedEvent, stages: readonly string[]): void => {
      const known = all.find((each) => uuid && each.uuid === uuid)
      if (known) Object.assign(known, { state: 'dropped', reason })
      else add({ event, uuid, reason, state: 'dropped', stages: stages.slice(0, stages.indexOf(stage!) + 1) })
    },
    /** Those of this uuid or of this name; all of them without either. */
    explain: (which?: string | { uuid?: string }): Explanation[] => {
      const wanted = typeof which === 'object' ? which?.uuid : which
      return all
        .filter(({ event, uuid }) => !wanted || event === wanted || uuid === wanted)
        .map((each) => ({ ...each }))
    },
  }
}

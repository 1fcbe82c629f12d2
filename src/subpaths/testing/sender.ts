import { pause } from './realTime'

/** Members of the result of `analytics.explain()` that messages use. */
export interface Explained {
  event: string
  state: string
  reason?: string
  stages?: readonly string[]
}

/** What sends the events: `analytics` of the SDK, or anything with its `flush`. */
export interface Sender {
  flush(): unknown
  explain?(name?: string): readonly Explained[]
}

/** Longest time in which a queue becomes empty, ms, and the time between two looks. */
const EMPTY_MS = 3000
const LOOK_MS = 10

/** Returns `analytics.explain()` of a name as lines for people. */
export const explained = (all: readonly Explained[] | undefined, name?: string): string[] =>
  (Array.isArray(all) ? (all as readonly Explained[]) : [])
    .filter(({ event, state }) => state !== 'delivered' && (name === undefined || event === name))
    .map(({ event, state, reason, stages = [] }) =>
      state === 'dropped'
        ? `${event}: dropped, ${reason ?? 'without a reason'}${stages.length ? `, at the stage ${stages.at(-1)}` : ''}`
        : `${event}: waiting${reason ? `, ${reason}` : ' to be sent'}`,
    )

const isWaiting = (sender: Sender): boolean => {
  const all = sender.explain?.()
  return Array.isArray(all) && all.some(({ state }: Explained) => state === 'waiting')
}

/** Makes an SDK send what waits. Resolves with whether nothing waits any more. */
export const flushed = async (sender: Sender | undefined): Promise<boolean> => {
  if (!sender) return true
  for (let waited = 0; waited < EMPTY_MS; waited += LOOK_MS) {
    await sender.flush()
    await pause(LOOK_MS)
    if (!isWaiting(sender)) return true
  }
  return false
}

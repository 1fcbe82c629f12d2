import { randomUUID } from 'node:crypto'
import type { Metadata } from '../../../storage/metadata/metadata.ts'
import type { Storage } from '../../../storage/storage.ts'
import { daysOfEvents } from './changes.ts'
import { CLAIM_MS, HEARTBEAT_MS, type Maintenance } from './maintain.ts'
import { type State, withStaleDays } from './state.ts'

export interface DeletionOptions {
  readonly metadata: Pick<Metadata, 'materializations'>
  readonly storage: Pick<Storage, 'rows'>
  readonly maintenance: Pick<Maintenance, 'change' | 'start' | 'abort'>
  readonly now: () => number
}

/** Returns UTC days of a project. `undefined`: all, or too many. */
export type FindDays = () => Promise<readonly string[] | undefined>

/**
 * Deletes or hides events of a project, or shows them again: `work` does it. Runs are live from before until the days of these events
 * are stored again.
 */
export type WhileChanging = (projectId: number, findDays: FindDays, work: () => Promise<void>) => Promise<void>

/** Deletes events of a project with these ids: `work` does it. */
export type WhileDeleting = (projectId: number, ids: readonly string[], work: () => Promise<void>) => Promise<void>

export const createWhileDeleting =
  ({ storage }: Pick<DeletionOptions, 'storage'>, whileChanging: WhileChanging): WhileDeleting =>
  (projectId, ids, work) =>
    whileChanging(projectId, () => daysOfEvents(storage, projectId, ids), work)

export const createWhileChanging =
  ({ metadata, maintenance: { change, start, abort }, now }: Omit<DeletionOptions, 'storage'>): WhileChanging =>
  async (projectId, findDays, work) => {
    const id = randomUUID()
    const changeAll = async (next: (state: State) => State) => {
      const own = (await metadata.materializations.all()).filter((each) => each.projectId === projectId)
      for (const { version } of own)
        await change(version.id, (state) => (state.isTurnedOff ? state : { ...next(state), lookedAt: undefined }))
      return own
    }
    const hold = (state: State): State => ({
      ...state,
      claim: undefined,
      deletions: { ...state.deletions, [id]: new Date(now() + CLAIM_MS).toISOString() },
    })
    const release = (state: State): State => {
      const { [id]: _, ...deletions } = state.deletions ?? {}
      return { ...state, deletions }
    }
    // Stop storing before looking for the stored days, so that no day is missed.
    for (const { version } of await changeAll((state) => hold(withStaleDays(state, [])))) abort(version.id)
    const days = await findDays()
    await changeAll((state) => hold(withStaleDays(state, days)))
    let isOver = false
    const heartbeat = setInterval(
      () => void changeAll((state) => (isOver ? state : hold(state))).catch(() => {}),
      HEARTBEAT_MS,
    )
    try {
      await work()
    } finally {
      clearInterval(heartbeat)
      isOver = true
      // A table that was created meanwhile may have some of the events.
      for (const each of await changeAll((state) => release(withStaleDays(state, days)))) start(each)
    }
  }

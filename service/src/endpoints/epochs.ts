import type { Metadata } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'

// How far an erasure advances an epoch. Deliveries advance it by 1.
const ERASURE = 2 ** 24

/** Counts how often the data of each project may have changed. */
export interface Epochs {
  of(projectId: number): Promise<number>
  /** Call when rows may have become visible, before the delivery is acknowledged. Rejects with `StorageError`. */
  advance(projectId: number): Promise<void>
  /** Call when a person was erased, so that no cached result from before is returned again. Rejects with `StorageError`. */
  advanceByErasure(projectId: number): Promise<void>
}

/** Returns the oldest epoch whose results contain no person who has been erased by `epoch`. */
export const lastErasure = (epoch: number): number => Math.floor(epoch / ERASURE) * ERASURE

/** Creates epochs for a single process. */
export const createEpochs = (): Epochs => {
  const counts = new Map<number, number>()
  const of = async (projectId: number) => counts.get(projectId) ?? 0
  const advanceBy = (step: number) => async (projectId: number) =>
    void counts.set(projectId, (await of(projectId)) + step)
  return { of, advance: advanceBy(1), advanceByErasure: advanceBy(ERASURE) }
}

/** Creates epochs shared by all processes with the same metadata store: the next run of each sees what any of them stores. */
export const createSharedEpochs = ({ epochs }: Pick<Metadata, 'epochs'>): Epochs => {
  const advanceBy = (step: number) => (projectId: number) =>
    epochs.advance(projectId, step).catch((error: Error) => {
      // The writer treats this like an unavailable engine: the rows may be stored, but are not acknowledged.
      throw new StorageError('unavailable', error.message)
    })
  return { of: epochs.of, advance: advanceBy(1), advanceByErasure: advanceBy(ERASURE) }
}

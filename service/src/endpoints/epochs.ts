import type { Metadata } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'

/** Counts how often the data of each project may have changed. */
export interface Epochs {
  of(projectId: number): Promise<number>
  /** Call when rows may have become visible, before the delivery is acknowledged. Rejects with `StorageError`. */
  advance(projectId: number): Promise<void>
}

/** Creates epochs for a single process. */
export const createEpochs = (): Epochs => {
  const counts = new Map<number, number>()
  const of = async (projectId: number) => counts.get(projectId) ?? 0
  return { of, advance: async (projectId) => void counts.set(projectId, (await of(projectId)) + 1) }
}

/** Creates epochs shared by all processes with the same metadata store: the next run of each sees what any of them stores. */
export const createSharedEpochs = ({ epochs }: Pick<Metadata, 'epochs'>): Epochs => ({
  of: epochs.of,
  advance: (projectId) =>
    epochs.advance(projectId).catch((error: Error) => {
      // The writer treats this like an unavailable engine: the rows may be stored, but are not acknowledged.
      throw new StorageError('unavailable', error.message)
    }),
})

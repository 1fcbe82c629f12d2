import type { Metadata } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'

/** Counts, for each project, how often its data may have changed. */
export interface Epochs {
  of(projectId: number): Promise<number>
  /** Call when rows may have become visible, and before anyone is told that they are. Rejects with `StorageError`. */
  advance(projectId: number): Promise<void>
}

/** Of this process, which is the only one that stores events. */
export const createEpochs = (): Epochs => {
  const counts = new Map<number, number>()
  const of = async (projectId: number) => counts.get(projectId) ?? 0
  return { of, advance: async (projectId) => void counts.set(projectId, (await of(projectId)) + 1) }
}

/** Of all processes that work with these definitions: what one stores is seen by the next run of every other. */
export const createSharedEpochs = ({ epochs }: Pick<Metadata, 'epochs'>): Epochs => ({
  of: epochs.of,
  advance: (projectId) =>
    epochs.advance(projectId).catch((error: Error) => {
      // For the writer it is as if the engine had not answered: the rows may be in, and nobody has been told.
      throw new StorageError('unavailable', error.message)
    }),
})

import { pause } from '../lib/wait.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'

// Amount by which an erasure advances an epoch. Deliveries advance it by 2.
const ERASURE = 2 ** 24

/**
 * Counts how often the data of each project may have changed. An epoch is odd while rows are being stored: some of them may be
 * visible. After a crash it stays odd until the next delivery.
 */
export interface Epochs {
  of(projectId: number): Promise<number>
  /** Call before rows of a project are stored. Rejects with `StorageError`. */
  begin(projectId: number): Promise<void>
  /** Call when rows may have become visible, before the delivery is acknowledged. Rejects with `StorageError`. */
  end(projectId: number): Promise<void>
  /** Call when a person was erased, so that no cached result from before is returned again. Rejects with `StorageError`. */
  advanceByErasure(projectId: number): Promise<void>
}

/** Whether all reads at this epoch return the same. */
export const isSettled = (epoch: number): boolean => epoch % 2 === 0

const POLL_MS = 20
// After a crash, an epoch stays odd. Rows of a killed process become visible within seconds.
const MAX_WAIT_MS = 10_000

/** Resolves when the rows that are being stored now are visible. */
export const waitUntilSettled = async ({ of }: Pick<Epochs, 'of'>, projectId: number): Promise<void> => {
  const epoch = await of(projectId)
  const deadline = Date.now() + MAX_WAIT_MS
  while (!isSettled(epoch) && (await of(projectId)) === epoch && Date.now() < deadline) await pause(POLL_MS)
}

/** Returns the oldest epoch whose results contain no person who has been erased by `epoch`. */
export const lastErasure = (epoch: number): number => Math.floor(epoch / ERASURE) * ERASURE

/** Creates epochs for a single process. */
export const createEpochs = (): Epochs => {
  const counts = new Map<number, number>()
  const of = (projectId: number) => counts.get(projectId) ?? 0
  return {
    of: async (projectId) => of(projectId),
    begin: async (projectId) => void counts.set(projectId, of(projectId) + 1 + (of(projectId) % 2)),
    end: async (projectId) => void counts.set(projectId, of(projectId) + 2 - (of(projectId) % 2)),
    advanceByErasure: async (projectId) => void counts.set(projectId, of(projectId) + ERASURE),
  }
}

/**
 * Creates epochs that all processes with the same metadata store share. A run sees everything that any of them stored before it. `keyOf`:
 * key of a project's epoch in the store.
 */
export const createSharedEpochs = (
  { epochs }: Pick<Metadata, 'epochs'>,
  keyOf: (projectId: number) => number = (projectId) => projectId,
): Epochs => {
  // The writer treats this like an unavailable engine: the rows may be stored, but are not acknowledged.
  const unavailable = (error: Error) => {
    throw new StorageError('unavailable', error.message)
  }
  return {
    of: (projectId) => epochs.of(keyOf(projectId)),
    begin: (projectId) => epochs.begin(keyOf(projectId)).catch(unavailable),
    end: (projectId) => epochs.end(keyOf(projectId)).catch(unavailable),
    advanceByErasure: (projectId) => epochs.advance(keyOf(projectId), ERASURE).catch(unavailable),
  }
}

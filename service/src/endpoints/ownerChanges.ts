import type { Epochs } from './epochs.ts'

/** Ids that may belong to other persons than before, by the epoch of a project's owners. */
export interface OwnerChanges {
  of(projectId: number): Promise<number>
  /** Call before and after the owners of ids are stored. `isMerge`: whether an id gets another person. */
  begin(projectId: number, isMerge: boolean): Promise<void>
  end(projectId: number, ids: readonly string[]): Promise<void>
  /** Call when a person was erased. */
  advanceByErasure(projectId: number): Promise<void>
  /** Returns the ids whose owners may have changed between two epochs. `undefined`: unknown, so it may be any. */
  between(projectId: number, from: number, to: number): readonly string[] | undefined
}

interface Change {
  readonly epoch: number
  readonly ids: readonly string[]
}

// Limits for each project. After more changes, a run computes its people again.
const MAX_CHANGES = 1_000
const MAX_IDS = 1_000
const STEP = 2

export interface OwnerChangesOptions {
  /** Count the changes of owners. */
  readonly epochs: Epochs
  /** Whether no other process changes owners. Otherwise the changes are unknown. */
  readonly isAlone: boolean
  /** Called before ids of a project get another person. */
  readonly onMerge?: ((projectId: number) => Promise<void>) | undefined
}

export const createOwnerChanges = ({ epochs, isAlone, onMerge }: OwnerChangesOptions): OwnerChanges => {
  const changes = new Map<number, Change[]>()
  return {
    of: epochs.of,
    async begin(projectId, isMerge) {
      if (isMerge) await onMerge?.(projectId)
      await epochs.begin(projectId)
    },
    advanceByErasure: epochs.advanceByErasure,
    async end(projectId, ids) {
      await epochs.end(projectId)
      if (!isAlone) return
      const own = [...(changes.get(projectId) ?? []), { epoch: await epochs.of(projectId), ids }]
      let known = 0
      const forgotten = own.findLastIndex((each) => (known += each.ids.length) > MAX_IDS)
      changes.set(projectId, own.slice(forgotten + 1).slice(-MAX_CHANGES))
    },
    between(projectId, from, to) {
      const own = (changes.get(projectId) ?? []).filter(({ epoch }) => epoch > from && epoch <= to)
      // Each change advances the epoch by one step. A failed change or an erasure advances it more.
      if (own.length * STEP !== to - from) return undefined
      return [...new Set(own.flatMap((each) => each.ids))]
    },
  }
}

import type { Metadata } from '../storage/metadata/metadata.ts'

/** Maximum group types of one project. An event has a column for each. */
export const MAX_GROUP_TYPES = 5

export interface GroupTypes {
  /** Returns the column index of each group type, from 0. New types get the next free index. Types beyond the maximum are left out. */
  indexesOf(projectId: number, types: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Caches the indexes of group types, which follow the order of first use and never change. */
export const createGroupTypes = ({ groupTypes }: Pick<Metadata, 'groupTypes'>): GroupTypes => {
  const known = new Map<number, ReadonlyMap<string, number>>()
  return {
    async indexesOf(projectId, types) {
      const before = known.get(projectId) ?? new Map<string, number>()
      if (before.size >= MAX_GROUP_TYPES || types.every((type) => before.has(type))) return before
      const indexes = new Map(
        (await groupTypes.add(projectId, [...new Set(types)], MAX_GROUP_TYPES)).map((type, index) => [type, index]),
      )
      known.set(projectId, indexes)
      return indexes
    },
  }
}

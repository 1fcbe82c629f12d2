import type { Metadata } from '../storage/metadata/metadata.ts'

/** Most types of groups of one project: an event has a column for each. */
export const MAX_GROUP_TYPES = 5

export interface GroupTypes {
  /** Where each type's column is, from 0; types that are new get the next free one. A type beyond the last has none. */
  indexesOf(projectId: number, types: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Types of groups in the order in which a project first used them, kept in memory: a type's place never changes. */
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

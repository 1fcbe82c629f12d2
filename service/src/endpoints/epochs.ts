/** Counts, for each project, how often its data may have changed. */
export interface Epochs {
  of(projectId: number): number
  /** Call when rows may have become visible, and before anyone is told that they are. */
  advance(projectId: number): void
}

export const createEpochs = (): Epochs => {
  const counts = new Map<number, number>()
  const of = (projectId: number) => counts.get(projectId) ?? 0
  return { of, advance: (projectId) => void counts.set(projectId, of(projectId) + 1) }
}

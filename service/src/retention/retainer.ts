/** Returns UTC days of a project. `undefined`: all, or too many. */
export type FindDays = () => Promise<readonly string[] | undefined>

/** Hooks of a module for stored rows that are hidden, shown again or deleted. */
export interface Retainer {
  /** Runs `work`, which changes which events of these days are visible to queries. */
  readonly whileChanging?: (projectId: number, findDays: FindDays, work: () => Promise<void>) => Promise<void>
  /** Called when the visible rows of a project have changed. */
  readonly onChanged?: (projectId: number) => Promise<void>
}

/** Changes the events of some days that queries see. */
export type ChangeRows = (projectId: number, findDays: FindDays, work: () => Promise<void>) => Promise<void>

export const createChangeRows = (retainers: readonly Retainer[]): ChangeRows => {
  const around = retainers.flatMap(({ whileChanging }) => whileChanging ?? [])
  return async (projectId, findDays, work) => {
    const done = async () => {
      try {
        await work()
      } finally {
        for (const { onChanged } of retainers) await onChanged?.(projectId)
      }
    }
    await around.reduce<() => Promise<void>>(
      (inner, whileChanging) => () => whileChanging(projectId, findDays, inner),
      done,
    )()
  }
}

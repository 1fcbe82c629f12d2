/** Returns UTC days of a project. `undefined`: all, or too many. */
export type FindDays = () => Promise<readonly string[] | undefined>

/** How a module follows when stored rows are hidden, shown again or deleted. */
export interface Retainer {
  /** Runs `work`, which changes the events of these days that queries see. */
  readonly whileChanging?: (projectId: number, findDays: FindDays, work: () => Promise<void>) => Promise<void>
  /** Called when queries see other rows of a project. */
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

import type { Flag } from './evaluate.ts'

/** Flags of a module, and the keys of the project's flags that they depend on. */
export interface ModuleFlags {
  readonly own: readonly Flag[]
  readonly linked: ReadonlySet<string>
}

/** Flags that a module adds to those of a project, as `/flags` evaluates them. */
export interface FlagSource {
  flags(projectId: number): Promise<ModuleFlags>
  /** Setting of the remote configuration that SDKs see turned on only while the project has something to load for it. */
  readonly setting: string
  /** Whether the project has something to load. */
  isUsed(projectId: number): Promise<boolean>
}

/** Returns the flags of all sources together. */
export const combineFlags =
  (sources: readonly Pick<FlagSource, 'flags'>[]) =>
  async (projectId: number): Promise<ModuleFlags> => {
    const each = await Promise.all(sources.map(({ flags }) => flags(projectId)))
    return { own: each.flatMap(({ own }) => own), linked: new Set(each.flatMap(({ linked }) => [...linked])) }
  }

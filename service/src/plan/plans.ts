import type { Metadata } from '../storage/metadata/metadata.ts'
import { checkPlan, type Plan } from './checkPlan.ts'
import { assertCompiles, compilePlan, type FindViolations } from './compile.ts'

export const MODES = ['off', 'mark', 'refuse'] as const
export type PlanMode = (typeof MODES)[number]

export interface PlanSetting {
  readonly mode: PlanMode
  readonly plan: Plan | null
}

/** A plan with which events are compared. */
export interface ActivePlan {
  readonly mode: PlanMode
  readonly find: FindViolations
}

/** The plans of projects. */
export interface Plans {
  get(projectId: number): Promise<PlanSetting>
  /** Rejects with `ApiError` if the plan is not valid or could take long to check. */
  set(projectId: number, mode: PlanMode, plan: unknown): Promise<PlanSetting>
  /** Returns the plan of a project, unless it is turned off. The result is cached briefly. */
  active(projectId: number): Promise<ActivePlan | undefined>
}

const SETTING = 'plan'
const NONE: PlanSetting = { mode: 'off', plan: null }
// Changes by another process take effect after this time at the latest.
const CACHED_MS = 5_000
/**
 * Maximum characters of all plans that are kept compiled. The least recently read are removed first. A compiled plan
 * takes about ten times as much memory.
 */
const MAX_CHARACTERS = 2_000_000
const MAX_PROJECTS = 10_000

interface Cached {
  readonly until: number
  readonly text: string
  readonly plan: ActivePlan | undefined
}

export const createPlans = ({ settings }: Pick<Metadata, 'settings'>, now: () => number = Date.now): Plans => {
  const cache = new Map<number, Promise<Cached>>()
  // In order of the last read.
  const sizes = new Map<number, number>()
  const get = async (projectId: number) => ((await settings.get(projectId, SETTING)) as PlanSetting | undefined) ?? NONE

  const read = async (projectId: number, earlier: Cached | undefined): Promise<Cached> => {
    const setting = await get(projectId)
    const text = JSON.stringify(setting)
    const until = now() + CACHED_MS
    if (earlier?.text === text) return { ...earlier, until }
    const { mode, plan } = setting
    return { until, text, plan: mode === 'off' || !plan ? undefined : { mode, find: compilePlan(plan) } }
  }

  /** Forgets the oldest plans, until the rest is small enough. */
  const trim = () => {
    let left = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    for (const [projectId, size] of sizes) {
      if (left <= MAX_CHARACTERS && cache.size <= MAX_PROJECTS) return
      left -= size
      sizes.delete(projectId)
      cache.delete(projectId)
    }
  }

  const remember = async (projectId: number, reading: Promise<Cached>) => {
    cache.set(projectId, reading)
    try {
      const cached = await reading
      sizes.delete(projectId)
      sizes.set(projectId, cached.plan ? cached.text.length : 0)
      trim()
      return cached
    } catch (error) {
      // Failures are not cached.
      cache.delete(projectId)
      throw error
    }
  }

  return {
    get,
    async set(projectId, mode, given) {
      const plan = given === null ? null : checkPlan(given)
      if (plan) await assertCompiles(plan)
      await settings.set(projectId, SETTING, { mode, plan })
      cache.delete(projectId)
      return get(projectId)
    },
    async active(projectId) {
      const known = await cache.get(projectId)
      if (known && known.until > now()) return known.plan
      return (await remember(projectId, read(projectId, known))).plan
    },
  }
}

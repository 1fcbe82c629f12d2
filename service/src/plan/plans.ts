import type { Metadata } from '../storage/metadata/metadata.ts'
import { checkPlan, type Plan } from './checkPlan.ts'
import { assertCompiles, compilePlan, type FindViolations } from './compile.ts'

export const MODES = ['off', 'mark', 'refuse'] as const
export type PlanMode = (typeof MODES)[number]

export interface PlanSetting {
  readonly mode: PlanMode
  readonly plan: Plan | null
}

/** A plan that events are compared with. */
export interface ActivePlan {
  readonly mode: PlanMode
  readonly find: FindViolations
}

/** The plans of projects. */
export interface Plans {
  get(projectId: number): Promise<PlanSetting>
  /** Rejects with `ApiError` if the plan is not valid or could take long to check. */
  set(projectId: number, mode: PlanMode, plan: unknown): Promise<PlanSetting>
  /** Returns the plan of a project, unless it is off. Cached briefly. */
  active(projectId: number): Promise<ActivePlan | undefined>
}

const SETTING = 'plan'
const NONE: PlanSetting = { mode: 'off', plan: null }
// Changes by another process take effect after this time at the latest.
const CACHED_MS = 5_000
/** Compiled plans that are kept, the latest ones. */
const MAX_COMPILED = 100

interface Cached {
  readonly until: number
  readonly text: string
  readonly plan: ActivePlan | undefined
}

export const createPlans = ({ settings }: Pick<Metadata, 'settings'>, now: () => number = Date.now): Plans => {
  const cache = new Map<number, Promise<Cached>>()
  const get = async (projectId: number) => ((await settings.get(projectId, SETTING)) as PlanSetting | undefined) ?? NONE

  const read = async (projectId: number, earlier: Cached | undefined): Promise<Cached> => {
    const setting = await get(projectId)
    const text = JSON.stringify(setting)
    const until = now() + CACHED_MS
    if (earlier?.text === text) return { ...earlier, until }
    const { mode, plan } = setting
    return { until, text, plan: mode === 'off' || !plan ? undefined : { mode, find: compilePlan(plan) } }
  }

  const remember = (projectId: number, cached: Promise<Cached>) => {
    cache.delete(projectId)
    cache.set(projectId, cached)
    if (cache.size > MAX_COMPILED) cache.delete(cache.keys().next().value!)
    // Failures are not cached.
    cached.catch(() => cache.delete(projectId))
    return cached
  }

  return {
    get,
    async set(projectId, mode, given) {
      const plan = given === null ? null : checkPlan(given)
      if (plan) assertCompiles(plan)
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

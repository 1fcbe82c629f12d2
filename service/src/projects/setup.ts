import { ApiError } from '../lib/apiError.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage } from '../storage/storage.ts'

/** Conditions on the events that show that a step is done. The engine finds their names by its primary key. */
const STEPS = {
  first_pageview_at: "event = '$pageview'",
  // Names of our own events begin with "$", which "%" follows.
  first_custom_event_at: "(event < '$' OR event >= '%')",
  first_identify_at: "event = '$identify'",
  first_flag_evaluation_at: "event = '$feature_flag_called'",
} as const
type Step = keyof typeof STEPS

const ALL_STEPS = Object.keys(STEPS) as Step[]

/** When a project's steps were first done. `null`: not yet. */
export type SetupView = Readonly<Record<Step, string | null>> & { readonly token: string; readonly timezone: string }

export interface Setup {
  /** Returns the steps of a project. Steps that are done are remembered, and cost no query. */
  get(projectId: number, signal: AbortSignal): Promise<SetupView>
  /** Records that flags were evaluated for the project. Returns immediately and writes in the background. */
  noteFlagEvaluation(projectId: number): void
}

/** Settings of a project: steps found in its events, and the time of its first flag request. */
const STEPS_SETTING = 'setup'
const FLAGS_SETTING = 'first_flag_request_at'

// More events are read only once, if a project sent them before it was first looked at. Its time is then that of some
// early event.
const MAX_EVENTS_READ = 100_000
const LIMITS = {
  maxSeconds: 5,
  maxMemoryBytes: 200_000_000,
  maxRows: ALL_STEPS.length,
  maxBytes: 10_000,
  maxThreads: 2,
}

const firstOf = (step: Step) => `
  SELECT '${step}', toUnixTimestamp64Milli(min(inserted_at)) FROM (
    SELECT inserted_at FROM db.events WHERE project_id = {projectId:UInt32} AND ${STEPS[step]} LIMIT ${MAX_EVENTS_READ})
  HAVING count() > 0`

export interface SetupDependencies {
  readonly storage: Pick<Storage, 'run'>
  readonly metadata: Pick<Metadata, 'projects' | 'settings'>
  readonly now?: () => number
}

/** Creates the state of a project's setup. */
export const createSetup = ({
  storage,
  metadata: { projects, settings },
  now = Date.now,
}: SetupDependencies): Setup => {
  /** Projects whose first flag request is stored. */
  const noted = new Set<number>()

  const findInEvents = async (
    projectId: number,
    steps: readonly Step[],
    signal: AbortSignal,
  ): Promise<Partial<Record<Step, string>>> => {
    if (!steps.length) return {}
    const text = steps.map(firstOf).join(' UNION ALL ')
    const { rows } = await storage.run({ text, params: { projectId } }, { ...LIMITS, projectId }, signal)
    return Object.fromEntries<string>(
      rows.map(([step, ms]): [Step, string] => [step as Step, new Date(Number(ms)).toISOString()]),
    )
  }

  return {
    async get(projectId, signal) {
      const project = await projects.byId(projectId)
      if (!project) throw new ApiError('not_found', { detail: `There is no project ${projectId}.` })
      const stored = ((await settings.get(projectId, STEPS_SETTING)) ?? {}) as Partial<Record<Step, string>>
      const firstFlags = (await settings.get(projectId, FLAGS_SETTING)) as string | undefined
      const known: Partial<Record<Step, string>> = {
        ...(firstFlags ? { first_flag_evaluation_at: firstFlags } : {}),
        ...stored,
      }
      const found = await findInEvents(
        projectId,
        ALL_STEPS.filter((step) => !known[step]),
        signal,
      )
      if (Object.keys(found).length) await settings.set(projectId, STEPS_SETTING, { ...stored, ...found })
      const stepOf = (step: Step) => known[step] ?? found[step] ?? null
      return {
        token: project.token,
        timezone: project.timezone,
        ...(Object.fromEntries(ALL_STEPS.map((step) => [step, stepOf(step)])) as Record<Step, string | null>),
      }
    },
    noteFlagEvaluation(projectId) {
      if (noted.has(projectId)) return
      noted.add(projectId)
      const note = async () => {
        if ((await settings.get(projectId, FLAGS_SETTING)) === undefined)
          await settings.set(projectId, FLAGS_SETTING, new Date(now()).toISOString())
      }
      note().catch(() => noted.delete(projectId)) // The next evaluation tries again.
    },
  }
}

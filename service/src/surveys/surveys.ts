import { createHash, randomUUID } from 'node:crypto'
import type { FlagDefinitions } from '../flags/definitions.ts'
import type { Flag } from '../flags/evaluate.ts'
import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'
import { ratingOf } from './checkQuestions.ts'
import { checkSurvey } from './checkSurvey.ts'
import { createHostedLimit } from './hostedLimit.ts'
import { iterationAt, stateAt } from './iterations.ts'
import type { Definition, SurveyChanges, SurveyInput, SurveyView } from './survey.ts'
import { flagKeysOf, flagsOf } from './surveyFlags.ts'
import type { SurveyRecord, SurveyStore } from './store.ts'

/** What SDKs read: the running surveys as JSON text, and its hash. */
export interface PublicSurveys {
  readonly json: string
  readonly hash: string
}

export interface Surveys {
  list(projectId: number): Promise<SurveyView[]>
  get(projectId: number, id: string): Promise<SurveyView>
  create(projectId: number, input: SurveyInput): Promise<SurveyView>
  update(projectId: number, id: string, changes: SurveyChanges): Promise<SurveyView>
  remove(projectId: number, id: string): Promise<void>
  /** Finds a survey as stored. Throws `ApiError` if the project has none with this id. */
  find(projectId: number, id: string): Promise<SurveyRecord>
  /** Returns the running surveys as SDKs read them (docs/reference/surveys.md#what-sdks-read). */
  running(projectId: number): Promise<PublicSurveys>
  /** Returns a running hosted survey of any project. `undefined`: there is none with this id. */
  hosted(id: string): Promise<HostedSurvey | undefined>
  /** Whether a survey runs that SDKs show or that pages show through the SDK. */
  hasRunning(projectId: number): Promise<boolean>
  /** Returns the flags of the running surveys, and the keys of the project's flags that they depend on. */
  flags(projectId: number): Promise<{ readonly own: readonly Flag[]; readonly linked: ReadonlySet<string> }>
  /** Whether a submission may be stored: an IP may send few submissions of a hosted survey in a minute. */
  acceptsResponse(projectId: number, response: SurveyResponse, client: string): Promise<boolean>
  /** Counts completed submissions of surveys that have a limit, and ends those that reach it. */
  countResponses(projectId: number, responses: readonly SurveyResponse[]): Promise<void>
}

export interface HostedSurvey {
  readonly projectId: number
  readonly mayBeFramed: boolean
  readonly name: string
}

/** A submission of which an event is in a delivery. */
export interface SurveyResponse {
  readonly surveyId: string
  readonly submissionId: string
  readonly isCompleted: boolean
}

// Changes by another process take effect after this time at the latest.
const KEPT_MS = 5_000
/** Maximum surveys of a project. All running ones are sent to each visitor. */
const MAX_SURVEYS = 500

const toInput = ({ name, definition, startDate, endDate }: SurveyRecord): SurveyInput =>
  ({ ...(definition as Definition), name, start_date: startDate, end_date: endDate }) as SurveyInput

const iterationFields = (record: SurveyRecord, now: number) => {
  const { number, start } = iterationAt(record, now)
  return {
    current_iteration: number || null,
    current_iteration_start_date: number ? new Date(start).toISOString() : null,
  }
}

const toView = (record: SurveyRecord, now: number): SurveyView => {
  const { internal, targeting } = flagKeysOf(record)
  return {
    ...(record.definition as Definition),
    questions: [...(record.definition as Definition).questions],
    id: record.id,
    name: record.name,
    start_date: record.startDate,
    end_date: record.endDate,
    state: stateAt(record, now),
    ...iterationFields(record, now),
    internal_targeting_flag_key: internal,
    targeting_flag_key: targeting,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}

/** Returns a survey without what only operators should see: its description, conditions on people, and the limit. */
const toPublic = (record: SurveyRecord, now: number) => {
  const { internal, targeting } = flagKeysOf(record)
  const definition = record.definition as Definition
  return {
    id: record.id,
    name: record.name,
    type: definition.type,
    feature_flag_keys: definition.feature_flag_keys ?? null,
    linked_flag_key: definition.linked_flag_key ?? null,
    targeting_flag_key: targeting,
    internal_targeting_flag_key: internal,
    questions: definition.questions,
    appearance: definition.appearance ?? null,
    conditions: definition.conditions ?? null,
    start_date: record.startDate,
    end_date: record.endDate,
    ...iterationFields(record, now),
    schedule: definition.schedule ?? 'once',
    enable_partial_responses: definition.enable_partial_responses ?? false,
    ...(definition.translations ? { translations: definition.translations } : {}),
  }
}

const isRunning = (now: number) => (record: SurveyRecord) => stateAt(record, now) === 'running'
const typeOf = ({ definition }: SurveyRecord) => (definition as Definition).type

const notFound = () => new ApiError('not_found', { detail: 'This project has no survey with this id.' })
const nameTaken = (name: string) =>
  new ApiError('name_taken', { detail: `This project already has a survey "${name}".`, attr: 'name' })

export interface SurveysDependencies {
  readonly store: SurveyStore
  readonly flags: Pick<FlagDefinitions, 'byKey' | 'draft'>
  readonly now?: () => number
}

/** Creates the surveys of all projects: operators define them, and SDKs read the running ones. */
export const createSurveys = ({ store: surveys, flags, now = Date.now }: SurveysDependencies): Surveys => {
  const isWithinLimit = createHostedLimit(now)
  const kept = new Map<number, { until: number; records: Promise<SurveyRecord[]> }>()

  const cached = (projectId: number): Promise<SurveyRecord[]> => {
    const known = kept.get(projectId)
    if (known && known.until > now()) return known.records
    const records = surveys.list(projectId)
    kept.set(projectId, { until: now() + KEPT_MS, records })
    // Failures are not cached.
    records.catch(() => kept.delete(projectId))
    return records
  }

  const find = async (projectId: number, id: string) => {
    const found = isUuid(id) ? await surveys.find(id.toLowerCase()) : undefined
    if (found?.projectId !== projectId) throw notFound()
    return found
  }

  /** Checks a survey and returns the fields to store, with an id for each question and how ratings are drawn. Throws `ApiError` for the first mistake. */
  const checked = async (projectId: number, input: SurveyInput, currentIteration: number) => {
    checkSurvey(input, { flags: await flags.byKey(projectId), currentIteration })
    const { name, start_date: startDate = null, end_date: endDate = null, ...definition } = input
    const { targeting_flag_filters: filters } = definition
    if (filters)
      await flags.draft(projectId, { key: 'survey', filters }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        const { attr = '', detail } = error.details
        throw new ApiError('invalid_input', {
          attr: attr.replace(/^filters/, 'targeting_flag_filters'),
          ...(detail ? { detail } : {}),
        })
      })
    const questions = definition.questions.map((question) => ({
      ...question,
      ...(question.type === 'rating' ? ratingOf(question) : {}),
      id: question.id ?? randomUUID(),
    }))
    return { name, definition: { ...definition, questions }, startDate, endDate }
  }

  return {
    find,
    list: async (projectId) => (await surveys.list(projectId)).map((record) => toView(record, now())),
    get: async (projectId, id) => toView(await find(projectId, id), now()),
    create: async (projectId, input) => {
      const survey = await checked(projectId, input, 0)
      if ((await surveys.list(projectId)).length >= MAX_SURVEYS)
        throw new ApiError('invalid_input', { detail: `A project may have at most ${MAX_SURVEYS} surveys.` })
      const record = await surveys.create(projectId, survey)
      if (!record) throw nameTaken(survey.name)
      kept.delete(projectId)
      return toView(record, now())
    },
    update: async (projectId, id, changes) => {
      const before = await find(projectId, id)
      const { number } = iterationAt(before, now())
      const survey = await checked(projectId, { ...toInput(before), ...changes }, number)
      const record = await surveys.update(projectId, before.id, survey)
      if (!record) throw nameTaken(survey.name)
      kept.delete(projectId)
      return toView(record, now())
    },
    remove: async (projectId, id) => {
      await surveys.remove(projectId, (await find(projectId, id)).id)
      kept.delete(projectId)
    },
    running: async (projectId) => {
      const at = now()
      const shown = (await cached(projectId)).filter(isRunning(at))
      const json = JSON.stringify({ surveys: shown.map((record) => toPublic(record, at)) })
      return { json, hash: createHash('sha256').update(json).digest('base64url').slice(0, 27) }
    },
    hosted: async (id) => {
      const record = isUuid(id) ? await surveys.find(id.toLowerCase()) : undefined
      if (!record || typeOf(record) !== 'external_survey' || !isRunning(now())(record)) return undefined
      return {
        projectId: record.projectId,
        mayBeFramed: (record.definition as Definition).enable_iframe_embedding ?? false,
        name: record.name,
      }
    },
    hasRunning: async (projectId) =>
      (await cached(projectId)).some((record) => isRunning(now())(record) && typeOf(record) !== 'external_survey'),
    flags: async (projectId) => {
      const at = now()
      const shown = (await cached(projectId)).filter(isRunning(at))
      const linked = shown.flatMap(({ definition }) => {
        const { linked_flag_key: key, feature_flag_keys: others } = definition as Definition
        return [key, ...(others ?? []).map(({ value }) => value)].filter((each): each is string => Boolean(each))
      })
      return { own: shown.flatMap((record) => flagsOf(record, at)), linked: new Set(linked) }
    },
    acceptsResponse: async (projectId, { surveyId, submissionId }, client) => {
      const record = (await cached(projectId)).find(({ id }) => id === surveyId)
      return !record || typeOf(record) !== 'external_survey' || isWithinLimit(client, surveyId, submissionId)
    },
    countResponses: async (projectId, responses) => {
      const limits = new Map(
        (await cached(projectId)).flatMap(({ id, endDate, definition }) => {
          const { responses_limit: limit } = definition as Definition
          return limit && endDate === null ? [[id, limit]] : []
        }),
      )
      for (const [surveyId, limit] of limits) {
        const ids = responses.flatMap((each) => (each.surveyId === surveyId ? each.submissionId : []))
        if (ids.length && (await surveys.countResponses(projectId, surveyId, ids, limit))) kept.delete(projectId)
      }
    },
  }
}

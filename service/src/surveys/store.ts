import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { type MetadataContext, now, unlessTaken } from '../storage/metadata/context.ts'
import type { Tables } from '../storage/metadata/tables.ts'

export interface SurveyRecord {
  /** UUID. */
  readonly id: string
  readonly name: string
  /** Type, questions, appearance, conditions and all other settings. */
  readonly definition: unknown
  /** When the survey was launched. `null`: a draft. */
  readonly startDate: string | null
  /** When it was stopped. `null`: it was not. */
  readonly endDate: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

type SurveyFields = Pick<SurveyRecord, 'name' | 'definition' | 'startDate' | 'endDate'>

export interface SurveyStore {
  /** Lists surveys by creation time, newest first. */
  list(projectId: number): Promise<SurveyRecord[]>
  /** Finds a survey of any project. */
  find(id: string): Promise<(SurveyRecord & { readonly projectId: number }) | undefined>
  /** Resolves with `undefined` if the name is taken. */
  create(projectId: number, survey: SurveyFields): Promise<SurveyRecord | undefined>
  /** Resolves with `undefined` if another survey has the new name. */
  update(projectId: number, id: string, survey: SurveyFields): Promise<SurveyRecord | undefined>
  remove(projectId: number, id: string): Promise<void>
  /**
   * Counts each of the submissions once, and ends the survey when it has `limit` submissions. Resolves with whether the survey
   * ended.
   */
  countResponses(projectId: number, id: string, submissionIds: readonly string[], limit: number): Promise<boolean>
}

// Maximum rows of one statement.
const MAX_ROWS = 500

const toSurvey = (row: Selectable<Tables['surveys']>): SurveyRecord => ({
  id: row.id,
  name: row.name,
  definition: JSON.parse(row.definition_json) as unknown,
  startDate: row.start_date,
  endDate: row.end_date,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toColumns = ({ name, definition, startDate, endDate }: SurveyFields) => ({
  name,
  definition_json: JSON.stringify(definition),
  start_date: startDate,
  end_date: endDate,
  updated_at: now(),
})

export const createSurveyStore = (context: MetadataContext): SurveyStore => {
  const { db, transact } = context
  return {
    async list(projectId) {
      const ofProject = db.selectFrom('surveys').selectAll().where('project_id', '=', projectId)
      return (await ofProject.orderBy('created_at', 'desc').orderBy('id').execute()).map(toSurvey)
    },
    async find(id) {
      const row = await db.selectFrom('surveys').selectAll().where('id', '=', id).executeTakeFirst()
      return row && { ...toSurvey(row), projectId: row.project_id }
    },
    create: (projectId, survey) =>
      unlessTaken(context, async () => {
        const row = { id: randomUUID(), project_id: projectId, ...toColumns(survey), created_at: now() }
        await db.insertInto('surveys').values(row).execute()
        return toSurvey(row)
      }),
    update: (projectId, id, survey) =>
      unlessTaken(context, async () => {
        const row = await db
          .updateTable('surveys')
          .set(toColumns(survey))
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
        return toSurvey(row)
      }),
    remove: (projectId, id) =>
      transact(async (transaction) => {
        await transaction.deleteFrom('surveys').where('project_id', '=', projectId).where('id', '=', id).execute()
        await transaction
          .deleteFrom('survey_responses')
          .where('project_id', '=', projectId)
          .where('survey_id', '=', id)
          .execute()
      }),
    countResponses: async (projectId, id, submissionIds, limit) => {
      const rows = [...new Set(submissionIds)]
        .slice(0, limit)
        .map((submissionId) => ({ project_id: projectId, survey_id: id, submission_id: submissionId }))
      for (let at = 0; at < rows.length; at += MAX_ROWS) {
        await transact((transaction) =>
          transaction
            .insertInto('survey_responses')
            .values(rows.slice(at, at + MAX_ROWS))
            .onConflict((conflict) => conflict.doNothing())
            .execute(),
        )
        // SQLite blocks the process, so others get a turn in between.
        await setImmediate()
      }
      return transact(async (transaction) => {
        const { count } = await transaction
          .selectFrom('survey_responses')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('project_id', '=', projectId)
          .where('survey_id', '=', id)
          .executeTakeFirstOrThrow()
        if (Number(count) < limit) return false
        const ended = await transaction
          .updateTable('surveys')
          .set({ end_date: now() })
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .where('end_date', 'is', null)
          .executeTakeFirst()
        return ended.numUpdatedRows > 0n
      })
    },
  }
}

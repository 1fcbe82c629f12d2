import { type RawBuilder, sql } from 'kysely'
import type { MetadataContext } from './context.ts'

/** A counter per project that increases whenever its events may have changed, shared by all processes. */
export interface EpochStore {
  of(projectId: number): Promise<number>
  /** Increases the counter to the next odd number. */
  begin(projectId: number): Promise<void>
  /** Increases the counter to the next even number. */
  end(projectId: number): Promise<void>
  /** Increases the counter by `step`. */
  advance(projectId: number, step: number): Promise<void>
}

export const createEpochStore = ({ db }: MetadataContext): EpochStore => {
  const change = async (projectId: number, first: number, next: RawBuilder<number>) => {
    await db
      .insertInto('epochs')
      .values({ project_id: projectId, epoch: first })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ epoch: next }))
      .execute()
  }
  return {
    async of(projectId) {
      const row = await db.selectFrom('epochs').select('epoch').where('project_id', '=', projectId).executeTakeFirst()
      return row?.epoch ?? 0
    },
    begin: (projectId) => change(projectId, 1, sql`epochs.epoch + 1 + epochs.epoch % 2`),
    end: (projectId) => change(projectId, 2, sql`epochs.epoch + 2 - epochs.epoch % 2`),
    advance: (projectId, step) => change(projectId, step, sql`epochs.epoch + ${step}`),
  }
}

import type { Refuser } from '../ingest/sink.ts'
import type { AnyModule, Module } from '../module.ts'
import type { Eraser } from '../persons/erase.ts'
import { createDeletions } from './deletions.ts'
import { createDeletionWork, type DeletionWork } from './deletionWork.ts'
import { createJournal, createRefuser, ERASED } from './journal.ts'
import { createChangeRows } from './retainer.ts'
import { createRetention } from './retention.ts'
import { RETENTION_ROUTES, type RetentionParts } from './routes/retention.ts'
import { createDeletionStore, createErasureStore, createRetentionStore } from './store.ts'

interface ErasureJournal {
  readonly journal: Eraser
  readonly refuse: Refuser
}

/** The journal of erased data. It refuses late events, and `trailmark restore` erases its entries again. */
export const ERASURES: Module<ErasureJournal> = {
  create({ metadata }) {
    const erasures = metadata.store(createErasureStore)
    return { journal: createJournal(erasures), refuse: createRefuser(erasures, metadata.store(createDeletionStore)) }
  },
  rejections: {
    [ERASED]: {
      message: 'The event is older than the deletion of this person or of such events.',
      remedy: 'Do not send events again that were deleted. Events from after the deletion are stored.',
    },
  },
  eraser: ({ journal }) => journal,
  refuser: ({ refuse }) => refuse,
}

const REFRESH_MS = 60_000
const WORK_MS = 5_000

/** Returns the module that hides and deletes old events, and deletes events by condition, with `modules` following. */
export const retentionOf = (modules: readonly AnyModule[]): Module<RetentionParts & Pick<DeletionWork, 'work'>> => ({
  create({ gate, metadata, onStop, log, use }) {
    const changeRows = createChangeRows(modules.flatMap((module) => module.retainer?.(use(module) as never) ?? []))
    const store = metadata.store(createDeletionStore)
    const options = { store, storage: gate.background, now: Date.now, log }
    const { work, close } = createDeletionWork({ ...options, changeRows })
    onStop(close)
    return {
      work,
      deletions: createDeletions({ ...options, work }),
      retention: createRetention({
        store: metadata.store(createRetentionStore),
        deletions: store,
        changeRows,
        now: Date.now,
        log,
      }),
    }
  },
  routes: RETENTION_ROUTES,
  jobs: ({ retention, work }) => [
    { name: 'retention', everyMs: REFRESH_MS, run: retention.refresh },
    { name: 'deletions', everyMs: WORK_MS, run: work },
  ],
})

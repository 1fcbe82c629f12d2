import type { Module } from '../module.ts'
import { readJournal } from '../retention/journalFile.ts'
import { createDeletionStore, createErasureStore } from '../retention/store.ts'
import { createExporter } from './export.ts'
import { EXPORT_ROUTES, type ExportParts } from './routes/export.ts'

/** Data that moves out of the service. */
export const TRANSFERS: Module<ExportParts> = {
  create({ gate, runMemoryBytes, config, metadata }) {
    const [erasures, deletions] = [metadata.store(createErasureStore), metadata.store(createDeletionStore)]
    return {
      exporter: createExporter({
        storage: gate.runs,
        journal: () => readJournal(erasures, deletions),
        maxMemoryBytes: Math.min(config.runMemoryBytes, runMemoryBytes),
      }),
    }
  },
  routes: EXPORT_ROUTES,
}

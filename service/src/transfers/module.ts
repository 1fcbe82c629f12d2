import type { Module } from '../module.ts'
import { readJournal } from '../retention/journalFile.ts'
import { createDeletionStore, createErasureStore } from '../retention/store.ts'
import { createExporter } from './export.ts'
import { createImports } from './imports.ts'
import { EXPORT_ROUTES, type ExportParts } from './routes/export.ts'
import { IMPORT_ROUTES, type ImportParts } from './routes/imports.ts'
import { createImportStore } from './store.ts'

/** Data that moves into and out of the service. */
export const TRANSFERS: Module<ExportParts & ImportParts> = {
  create({ gate, runMemoryBytes, config, metadata }) {
    const [erasures, deletions] = [metadata.store(createErasureStore), metadata.store(createDeletionStore)]
    return {
      imports: createImports(metadata.store(createImportStore), deletions),
      sheetStorage: gate.runs,
      exporter: createExporter({
        storage: gate.runs,
        journal: () => readJournal(erasures, deletions),
        maxMemoryBytes: Math.min(config.runMemoryBytes, runMemoryBytes),
      }),
    }
  },
  routes: [...EXPORT_ROUTES, ...IMPORT_ROUTES],
}

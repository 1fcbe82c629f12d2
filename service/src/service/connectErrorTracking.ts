import type { Config } from '../config.ts'
import { createFingerprintRules, type FingerprintRules } from '../errorTracking/fingerprintRules.ts'
import { STACKS_PER_ISSUE } from '../errorTracking/assignStacks.ts'
import { createIssues } from '../errorTracking/issues.ts'
import { createMapper } from '../errorTracking/mapper.ts'
import { createSourceMaps } from '../errorTracking/sourceMaps.ts'
import type { Dependencies } from '../http/route.ts'
import type { JobTurns } from '../lib/jobThread.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createQueryRows } from '../persons/queryRows.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

const MAX_SECONDS = 20

interface ErrorTrackingOptions {
  readonly config: Config
  readonly gate: EngineGate
  readonly metadata: Metadata
  readonly metrics: Metrics
  readonly log: Log
  /** Path of the compiled worker that applies source maps. */
  readonly mapWorker: string
  readonly turns: JobTurns
  readonly onStop: (step: () => unknown) => void
}

/** Connects issues, their rules and source maps with the engine and the metadata. */
export const connectErrorTracking = ({
  config,
  gate,
  metadata,
  metrics,
  log,
  mapWorker,
  turns,
  onStop,
}: ErrorTrackingOptions): Pick<Dependencies, 'issues' | 'sourceMaps'> & {
  readonly fingerprintRules: FingerprintRules
} => {
  const queryRows = createQueryRows(gate.runs, MAX_SECONDS)
  const mapper = createMapper(mapWorker, turns)
  onStop(mapper.close)
  const sourceMaps = createSourceMaps({ queryRows, storage: gate.ingest, metadata, mapper })
  const fingerprintRules = createFingerprintRules(metadata)
  const issues = createIssues({
    queryRows,
    metadata,
    sourceMaps,
    rules: fingerprintRules,
    limits: { issues: config.errorIssues, stacks: config.errorIssues * STACKS_PER_ISSUE },
    onOverflow: (projectId, stacks) => {
      metrics.count('trailmark_error_stacks_overflow_total', {}, stacks)
      log(
        `Project ${projectId} has reached its limit of ${config.errorIssues} issues (TRAILMARK_ERROR_ISSUES). New exceptions share one issue.`,
        { level: 'warn', project: projectId, stacks },
      )
    },
  })
  return { sourceMaps, fingerprintRules, issues }
}

import { createFingerprintRules, type FingerprintRules } from '../errorTracking/fingerprintRules.ts'
import { createIssues } from '../errorTracking/issues.ts'
import { createMapper } from '../errorTracking/mapper.ts'
import { createSourceMaps } from '../errorTracking/sourceMaps.ts'
import type { Dependencies } from '../http/route.ts'
import { createAsk } from '../persons/ask.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

const MAX_SECONDS = 20

interface ErrorTrackingOptions {
  readonly gate: EngineGate
  readonly metadata: Metadata
  /** Path of the compiled worker that applies source maps. */
  readonly mapWorker: string
  readonly onStop: (step: () => unknown) => void
}

/** Connects issues, their rules and source maps with the engine and the metadata. */
export const connectErrorTracking = ({
  gate,
  metadata,
  mapWorker,
  onStop,
}: ErrorTrackingOptions): Pick<Dependencies, 'issues' | 'sourceMaps'> & {
  readonly fingerprintRules: FingerprintRules
} => {
  const ask = createAsk(gate.runs, MAX_SECONDS)
  const mapper = createMapper(mapWorker)
  onStop(mapper.close)
  const sourceMaps = createSourceMaps({ ask, storage: gate.ingest, metadata, mapper })
  const fingerprintRules = createFingerprintRules(metadata)
  const issues = createIssues({ ask, metadata, sourceMaps, rules: fingerprintRules })
  return { sourceMaps, fingerprintRules, issues }
}

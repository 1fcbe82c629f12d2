import type { Config } from '../config.ts'
import { createAdmit } from '../endpoints/admission.ts'
import { createCache } from '../endpoints/cache.ts'
import { createDescribe } from '../endpoints/definitions/describe.ts'
import { createEndpointDefinitions } from '../endpoints/definitions/endpoint.ts'
import type { Epochs } from '../endpoints/epochs.ts'
import type { OwnerChanges } from '../endpoints/ownerChanges.ts'
import { createLastRuns } from '../endpoints/lastRuns.ts'
import { createGate, type RunAllowance } from '../endpoints/limits.ts'
import { createArrivals } from '../endpoints/materialization/arrivals.ts'
import { createCells } from '../endpoints/materialization/cellStore.ts'
import { createMaterializations, type Materializations } from '../endpoints/materialization/materializations.ts'
import { createShadow } from '../endpoints/materialization/shadow.ts'
import { createOpenApi } from '../endpoints/openapi.ts'
import { createRun, type Outcome } from '../endpoints/run.ts'
import { createProgressOf, createRunning } from '../endpoints/running.ts'
import { createRunHistory } from '../endpoints/runHistory.ts'
import { createRunLog, recordingRuns, resultOfAnswer } from '../endpoints/runLog.ts'
import { createStream } from '../endpoints/stream.ts'
import { createRunTokens } from '../endpoints/tokens/runTokens.ts'
import type { Dependencies } from '../http/route.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { measureRuns } from '../measure.ts'
import type { EngineGate } from '../storage/gate.ts'
import { type Metadata, MetadataUnavailable } from '../storage/metadata/metadata.ts'
import { own } from '../lib/own.ts'

// Each refresh is a small query. The interval determines how soon another process resumes the builds of a crashed one.
const REFRESH_MS = 5_000
const SWEEP_MS = 30_000

/** Returns a function from the label of a key to its limits, with at most `maxMemoryBytes` of memory. */
const allowancesOf = (config: Config, maxMemoryBytes: number) => {
  const { runSeconds, runMemoryBytes, runRows, runStreamRows, runsPerMinute, runsPerHour, runsAtOnce, keyLimits } =
    config
  const general = {
    seconds: runSeconds,
    memoryBytes: runMemoryBytes,
    rows: runRows,
    streamRows: runStreamRows,
    perMinute: runsPerMinute,
    perHour: runsPerHour,
    atOnce: runsAtOnce,
  }
  return (label: string): RunAllowance => {
    const allowance = { ...general, ...own(keyLimits, label) }
    return { ...allowance, memoryBytes: Math.min(allowance.memoryBytes, maxMemoryBytes) }
  }
}

/** Refreshes and sweeps materialized tables at intervals. Returns a function that stops it. */
const maintainTables = (materializations: Materializations, log: Log) => {
  const everyMs = (ms: number, task: 'refresh' | 'sweep') =>
    setInterval(
      () =>
        void materializations[task]().catch(
          (error: Error) => error instanceof MetadataUnavailable || log(`materialization: ${error.message}`),
        ),
      ms,
    )
  const timers = [everyMs(REFRESH_MS, 'refresh'), everyMs(SWEEP_MS, 'sweep')]
  return () => timers.forEach(clearInterval)
}

interface EndpointsOptions {
  readonly config: Config
  readonly gate: EngineGate
  /** Maximum memory of one run, in bytes. */
  readonly runMemoryBytes: number
  readonly metadata: Metadata
  readonly metrics: Metrics
  readonly epochs: Epochs
  readonly owners: OwnerChanges
  /** Called with functions that stop the parts, which must run in reverse order. */
  readonly onStop: (stop: () => unknown) => void
  readonly log: Log
}

interface ConnectedEndpoints {
  readonly materializations: Materializations
  /** What the routes of endpoints call. */
  readonly dependencies: Pick<
    Dependencies,
    'endpoints' | 'run' | 'stream' | 'running' | 'progressOf' | 'runHistory' | 'runTokens' | 'openApi'
  >
}

/** Connects the definitions and runs of endpoints with the cache, the limits and materialization. */
export const connectEndpoints = ({
  config,
  gate,
  runMemoryBytes,
  metadata,
  metrics,
  epochs,
  owners,
  onStop,
  log,
}: EndpointsOptions): ConnectedEndpoints => {
  // Checks and previews of queries have the limits of a run.
  const runLimits = {
    maxSeconds: config.runSeconds,
    maxMemoryBytes: Math.min(config.runMemoryBytes, runMemoryBytes),
  }
  const running = createRunning()
  const admit = createAdmit({ gate: createGate(), running, allowanceOf: allowancesOf(config, runMemoryBytes) })
  const cache = createCache<Outcome>({ maxBytes: config.cacheBytes })
  const lastRuns = createLastRuns(metadata)
  onStop(() => lastRuns.close())
  const materializations = createMaterializations({
    metadata,
    // Clients wait for previews. Everything else runs in the background.
    storage: { ...gate.background, run: gate.validation.run },
    log,
    lagSeconds: config.materializeLagSeconds,
    previewLimits: runLimits,
  })
  onStop(() => materializations.close())
  const shadow = createShadow({
    storage: gate.background,
    materializations,
    epochOf: epochs.of,
    percent: config.shadowPercent,
    log,
  })
  onStop(() => shadow.settled())
  onStop(maintainTables(materializations, log))
  const arrivals = createArrivals({ storage: gate.background, log })
  onStop(() => arrivals.settled())
  const measured = measureRuns(metrics)
  const runLog = createRunLog({ storage: gate.ingest, endpoints: metadata.endpoints, count: metrics.count })
  onStop(() => runLog.close())
  const recorded = recordingRuns(runLog)
  return {
    materializations,
    dependencies: {
      endpoints: createEndpointDefinitions({
        metadata,
        describe: createDescribe({ storage: gate.validation, runLimits }),
        materializer: materializations,
      }),
      run: recorded(
        measured(
          createRun({
            metadata,
            storage: gate.runs,
            admit,
            cache,
            epochs,
            owners,
            lastRuns,
            materializations,
            arrivals,
            cells: createCells({ storage: gate.runs, changedIds: owners.between }),
            shadow,
          }),
        ),
        resultOfAnswer,
      ),
      stream: recorded(measured(createStream({ metadata, storage: gate.runs, admit, lastRuns, materializations }))),
      running,
      progressOf: createProgressOf(gate.lookups, running),
      runHistory: createRunHistory({ storage: gate.runs, metadata }),
      runTokens: createRunTokens({ metadata, takesDates: materializations.takesDates }),
      openApi: createOpenApi(metadata, materializations.takesDates),
    },
  }
}

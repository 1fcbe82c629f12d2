import type { Config } from '../config.ts'
import { createAdmit } from './admission.ts'
import { runTools } from './agentTools.ts'
import { createCache } from './cache.ts'
import { createDescribe } from './definitions/describe.ts'
import { createEndpointDefinitions } from './definitions/endpoint.ts'
import { waitUntilSettled } from './epochs.ts'
import { createLastRuns } from './lastRuns.ts'
import { createGate, type RunAllowance } from './limits.ts'
import { createArrivals } from './materialization/arrivals.ts'
import { createCells } from './materialization/memory/cellStore.ts'
import { createMaterializations } from './materialization/materializations.ts'
import { createShadow } from './materialization/shadow.ts'
import { createSpeeds } from './speeds.ts'
import { createOpenApi } from './openapi.ts'
import { createRun, type Outcome } from './run.ts'
import { createProgressOf, createRunning } from './running.ts'
import { createRunHistory } from './runHistory.ts'
import { createRunLog, recordingRuns, resultOfAnswer } from './runLog.ts'
import { createStream } from './stream.ts'
import { createRunTokens } from './tokens/runTokens.ts'
import { measureRuns } from '../measure.ts'
import type { Ground, Module } from '../module.ts'
import { own } from '../lib/own.ts'
import { ENDPOINT_RUN_ROUTES } from './routes/endpointRuns.ts'
import { ENDPOINT_ROUTES } from './routes/endpoints.ts'
import { QUERY_ROUTES } from './routes/queries.ts'
import { RUN_ROUTES } from './routes/runs.ts'
import { RUN_TOKEN_ROUTES } from './routes/runTokens.ts'
import { VARIABLE_ROUTES } from './routes/variables.ts'
import { RUN_SCHEMA } from './schema.ts'
import { createVariableDefinitions } from './variables/definitions.ts'

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

const create = ({
  config,
  gate,
  runMemoryBytes,
  metadata,
  metrics,
  epochs,
  merges,
  plainProperties,
  owners,
  onStop,
  log,
}: Ground) => {
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
    settle: (projectId) => waitUntilSettled(epochs, projectId),
    lagSeconds: config.materializeLagSeconds,
    previewLimits: runLimits,
  })
  onStop(() => materializations.close())
  const speeds = createSpeeds({ isTableFixed: config.runSource === 'table' })
  const shadow = createShadow({
    storage: gate.background,
    materializations,
    epochOf: epochs.of,
    onLive: (versionId, ms) => speeds.note(versionId, 'live', ms),
    percent: config.shadowPercent,
    log,
  })
  onStop(() => shadow.settled())
  const arrivals = createArrivals({ storage: gate.background, log })
  onStop(() => arrivals.settled())
  const measured = measureRuns(metrics)
  const runLog = createRunLog({ storage: gate.ingest, endpoints: metadata.endpoints, count: metrics.count })
  onStop(() => runLog.close())
  const recorded = recordingRuns(runLog)
  return {
    materializations,
    epochs,
    owners,
    variables: createVariableDefinitions(metadata),
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
          merges,
          plainProperties,
          owners,
          lastRuns,
          materializations,
          arrivals,
          cells: createCells({ storage: gate.runs, changedIds: owners.between }),
          shadow,
          speeds,
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
    metadata,
  }
}

/** Endpoints: definitions, variables, runs with their cache and limits, and materialization. */
export const ENDPOINTS: Module<ReturnType<typeof create>> = {
  create,
  routes: [
    ...VARIABLE_ROUTES,
    ...ENDPOINT_ROUTES,
    ...RUN_ROUTES,
    ...QUERY_ROUTES,
    ...ENDPOINT_RUN_ROUTES,
    ...RUN_TOKEN_ROUTES,
  ],
  agentTools: ({ run, metadata, materializations }) =>
    runTools({ run, metadata, takesDates: materializations.takesDates }),
  schema: RUN_SCHEMA,
  eraser: ({ epochs, owners, materializations }) => ({
    async onErased(projectId) {
      await owners.advanceByErasure(projectId)
      await epochs.advanceByErasure(projectId)
    },
    whileDeleting: materializations.whileDeleting,
  }),
  retainer: ({ epochs, materializations }) => ({
    whileChanging: materializations.whileChanging,
    onChanged: epochs.advanceByErasure,
  }),
  jobs: ({ materializations }) => [
    { name: 'materialization', everyMs: REFRESH_MS, run: materializations.refresh },
    { name: 'materialization', everyMs: SWEEP_MS, run: materializations.sweep },
  ],
}

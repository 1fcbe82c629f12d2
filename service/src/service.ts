import type { Config } from './config.ts'
import { createDashboards } from './dashboards/dashboards.ts'
import { createServiceEpochs } from './endpoints/epochs.ts'
import { createVariableDefinitions } from './endpoints/variables/definitions.ts'
import { createFlagDefinitions } from './flags/definitions.ts'
import { createServer } from './http/server.ts'
import { createStatics } from './http/statics.ts'
import { readCountries } from './ingest/countries.ts'
import { createGroupTypes } from './ingest/groupTypes.ts'
import { createIngest } from './ingest/ingest.ts'
import { measureProcess } from './measure.ts'
import type { Log } from './lib/log.ts'
import { createMetrics } from './lib/metrics.ts'
import { createTimeSlices } from './lib/timeSlices.ts'
import { createReadiness } from './readiness.ts'
import { createProjects } from './projects/projects.ts'
import { createSetup } from './projects/setup.ts'
import { createJobTurns } from './lib/jobThread.ts'
import type { Project } from './storage/metadata/metadata.ts'
import { connectEndpoints } from './service/connectEndpoints.ts'
import { connectErrorTracking } from './service/connectErrorTracking.ts'
import { connectFlags } from './service/connectFlags.ts'
import { connectPeople } from './service/connectPeople.ts'
import { connectRecordings } from './service/connectRecordings.ts'
import { connectStoring } from './service/connectStoring.ts'
import { connectSurveys } from './service/connectSurveys.ts'
import { createToolbarSessions } from './toolbar/sessions.ts'
import { connectConsole, type ConsoleNotice } from './service/connectConsole.ts'
import { openData } from './service/openData.ts'

export interface ServiceOptions {
  readonly config: Config
  /** Returns the path of the engine's library. Called only for the embedded engine. Throws if it is not installed. */
  readonly engineLibrary: () => string
  /** Path of the engine's compiled child program. */
  readonly engineChild: string
  /** Path of the compiled program that reads recordings in a thread. */
  readonly recordingThread: string
  /** Path of the compiled worker that applies source maps. */
  readonly mapWorker: string
  /** Called with progress messages during startup. */
  readonly progress: (line: string) => void
  readonly log: Log
}

export interface Service {
  readonly url: string
  readonly project: Project
  /** File with the personal API key. Absent: the key is from the environment or another process. */
  readonly keyFile: string | undefined
  readonly console: ConsoleNotice
  /** Finishes running requests, stores accepted events and stops the engine. */
  stop(): Promise<void>
}

const PROBE_WAIT_MS = 1_000

/** Starts everything. `stop` ends it in reverse order. Leaves nothing running if it rejects. */
export const startService = async ({
  config,
  engineLibrary,
  engineChild,
  recordingThread,
  mapWorker,
  progress,
  log,
}: ServiceOptions): Promise<Service> => {
  const undo: (() => unknown)[] = []
  const onStop = (step: () => unknown) => void undo.push(step)
  const stop = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }

  try {
    const metrics = createMetrics()
    const countryOf = config.geoipFile ? readCountries(config.geoipFile) : () => undefined
    const { isShared, metadata, project, keyPath, keys, gate, runMemoryBytes } = await openData({
      config,
      engineLibrary,
      engineChild,
      metrics,
      progress,
      log,
      onStop,
    })

    const { epochs, owners } = createServiceEpochs(isShared ? metadata : undefined)
    const slices = createTimeSlices()
    const base = { config, isShared, gate, runMemoryBytes, metadata, metrics, epochs, owners, slices, onStop, log }
    const { writer, rejectedEvents, keepPoints, forgetPerson } = connectStoring(base)
    onStop(() => writer.close())
    const { materializations, dependencies: endpoints } = connectEndpoints(base)
    const turns = createJobTurns()
    const { removeRecordings, dependencies: recordings } = connectRecordings({
      ...base,
      program: recordingThread,
      turns,
    })
    const people = connectPeople({
      ...base,
      materializations,
      forgetPerson,
      forgetRecordings: removeRecordings.ofPerson,
    })
    const flags = createFlagDefinitions(metadata)
    const surveys = connectSurveys({ ...base, flags })
    const errorTracking = connectErrorTracking({ ...base, mapWorker, turns })
    const setup = createSetup({ storage: gate.runs, metadata })
    const console = await connectConsole(config, metadata, log)
    const server = await createServer({
      staticDir: config.staticDir,
      keyBySecret: keys.bySecret,
      projectById: metadata.projects.byId,
      ingestBytes: config.ingestBytes,
      slices,
      log,
      count: metrics.count,
      dependencies: {
        ingest: createIngest({
          projectByToken: metadata.projects.byToken,
          groupTypes: createGroupTypes(metadata),
          writer,
          rejectedEvents,
          keepPoints,
          countResponses: surveys.surveys.countResponses,
          fingerprintRules: errorTracking.fingerprintRules,
          acceptsResponse: surveys.surveys.acceptsResponse,
          slices,
          countryOf,
          count: metrics.count,
        }),
        projectByToken: metadata.projects.byToken,
        projectById: metadata.projects.byId,
        variables: createVariableDefinitions(metadata),
        ...endpoints,
        ...connectFlags({
          ...base,
          definitions: flags,
          surveys: surveys.surveys,
          persons: people.persons,
          onEvaluated: setup.noteFlagEvaluation,
        }),
        ...surveys,
        ...people,
        ...recordings,
        ...errorTracking,
        projects: createProjects(metadata),
        setup,
        dashboards: createDashboards(metadata),
        keys,
        rejectedEvents,
        statics: createStatics(config.staticDir),
        console: console.dependency,
        consoleUrl: async () => (await metadata.console.instance()).url,
        toolbar: createToolbarSessions({ metadata, log }),
        metrics: metrics.text,
        readiness: createReadiness({
          storage: gate.ingest,
          metadata,
          definitionsDir: config.databaseUrl ? undefined : config.dataDir,
        }),
      },
    })
    onStop(() => server.close())
    measureProcess(metrics, {
      writer,
      isReady: () => gate.ready(PROBE_WAIT_MS),
      heldBytes: server.heldBytes,
    })
    const url = await server.listen({ port: config.port, host: config.host })
    return { url, project, keyFile: keyPath, console: await console.announce(url), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

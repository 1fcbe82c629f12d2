import type { Config } from './config.ts'
import { announceConsole, CONSOLE, type ConsoleNotice } from './console/module.ts'
import { createServiceEpochs } from './endpoints/serviceEpochs.ts'
import { createMerges } from './endpoints/merges.ts'
import { createPlainProperties } from './endpoints/plainProperties.ts'
import { ENDPOINTS } from './endpoints/module.ts'
import { createServer } from './http/server.ts'
import { STORING } from './ingest/storing.ts'
import { createJobTurns } from './lib/jobThread.ts'
import type { Log } from './lib/log.ts'
import { createMetrics } from './lib/metrics.ts'
import { createTimeSlices } from './lib/timeSlices.ts'
import { measureProcess } from './measure.ts'
import { DOCUMENT_ROUTE, MODULE_METRICS, MODULES, REJECTIONS, SCHEMA } from './modules.ts'
import { createQueryRows, LOOKUP_SECONDS } from './persons/queryRows.ts'
import { openData } from './service/openData.ts'
import { createUse, serveModules, startJobs } from './service/useModules.ts'
import type { Project } from './storage/metadata/metadata.ts'
import { TOOLBAR } from './toolbar/module.ts'

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
    const metrics = createMetrics(MODULE_METRICS)
    const data = await openData({
      config,
      engineLibrary,
      engineChild,
      schema: SCHEMA,
      metrics,
      progress,
      log,
      onStop,
    })
    const { isShared, metadata, project, keyPath, keys, gate } = data
    const slices = createTimeSlices()
    const merges = createMerges({ storage: gate.lookups, ...(isShared ? { shared: metadata.settings } : {}) })
    const use = createUse({
      ...data,
      config,
      instance: (await metadata.console.instance()).id,
      queryRows: createQueryRows(gate.runs, LOOKUP_SECONDS),
      metrics,
      ...createServiceEpochs(isShared ? metadata : undefined, merges.note),
      merges,
      plainProperties: createPlainProperties({
        storage: gate.background,
        isAlone: !isShared && !config.clickhouseCluster,
        lagMs: config.materializeLagSeconds * 1_000,
      }),
      slices,
      turns: createJobTurns(),
      programs: { recordings: recordingThread, sourceMaps: mapWorker },
      rejections: REJECTIONS,
      onStop,
      log,
    })
    const routes = serveModules(MODULES, use)
    onStop(startJobs(MODULES, { use, log }))
    const { console } = use(CONSOLE)
    const server = await createServer({
      routes: [...routes, { ...DOCUMENT_ROUTE, handler: (request) => DOCUMENT_ROUTE.handler(undefined, request) }],
      auth: {
        keyBySecret: keys.bySecret,
        projectById: metadata.projects.byId,
        projectByToken: metadata.projects.byToken,
        runTokens: use(ENDPOINTS).runTokens,
        console,
        toolbar: use(TOOLBAR).toolbar,
      },
      staticDir: config.staticDir,
      ingestBytes: config.ingestBytes,
      slices,
      log,
      count: metrics.count,
    })
    onStop(() => server.close())
    measureProcess(metrics, {
      writer: use(STORING).writer,
      isReady: () => gate.ready(PROBE_WAIT_MS),
      heldBytes: server.heldBytes,
    })
    const url = await server.listen({ port: config.port, host: config.host })
    return { url, project, keyFile: keyPath, console: await announceConsole(console, { config, metadata, url }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

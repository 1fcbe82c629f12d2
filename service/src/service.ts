import type { Config } from './config.ts'
import { createAdmit } from './endpoints/admission.ts'
import { createCache } from './endpoints/cache.ts'
import { createDescribe } from './endpoints/definitions/describe.ts'
import { createEndpointDefinitions } from './endpoints/definitions/endpoint.ts'
import { createEpochs, createSharedEpochs } from './endpoints/epochs.ts'
import { createGate, type RunAllowance } from './endpoints/limits.ts'
import { createMaterializations } from './endpoints/materialization/materializations.ts'
import { createShadow } from './endpoints/materialization/shadow.ts'
import { createLastRuns } from './endpoints/lastRuns.ts'
import { createOpenApi } from './endpoints/openapi.ts'
import { createRun, type Outcome } from './endpoints/run.ts'
import { createRunning } from './endpoints/running.ts'
import { createStream } from './endpoints/stream.ts'
import { createRunTokens } from './endpoints/tokens/runTokens.ts'
import { createVariableDefinitions } from './endpoints/variables/definitions.ts'
import { createFlagDefinitions } from './flags/definitions.ts'
import { createEarlyAccess } from './flags/earlyAccess.ts'
import { createFlagsHandler } from './flags/flags.ts'
import { createLocalEvaluation } from './flags/localEvaluation.ts'
import { createFlagQuota } from './flags/quota.ts'
import { createRemoteConfigs } from './flags/remoteConfig.ts'
import { openEngine } from './engine.ts'
import { SCOPES } from './http/auth.ts'
import { createServer } from './http/server.ts'
import { createStatics } from './http/statics.ts'
import { readCountries } from './ingest/countries.ts'
import { createGroupTypes } from './ingest/groupTypes.ts'
import { createIngest } from './ingest/ingest.ts'
import { createWriter } from './ingest/writer.ts'
import { measureProcess, measureRuns } from './measure.ts'
import { createRejectedEvents } from './ingest/rejectedEvents.ts'
import type { Log } from './lib/log.ts'
import { createMetrics } from './lib/metrics.ts'
import { createTimeSlices } from './lib/timeSlices.ts'
import { createErase, createForgetPerson } from './persons/erase.ts'
import { createPersonFacts } from './persons/facts.ts'
import { createLastSeenCache } from './persons/lastSeenCache.ts'
import { createPersons } from './persons/lookup.ts'
import { createStoredProperties } from './persons/storedProperties.ts'
import { createReadiness } from './readiness.ts'
import { type KeyFile, keyFileIn, sharedKeyFile } from './projects/keyFile.ts'
import { createKeys, START_KEYS } from './projects/keys.ts'
import { createProjects } from './projects/projects.ts'
import { madeUp } from './projects/secret.ts'
import { lockDataDir } from './storage/lock.ts'
import { metadataLocation, isOneOfMany } from './storage/location.ts'
import { openMetadata, type Project, type Metadata, MetadataUnavailable } from './storage/metadata/metadata.ts'
import { StorageError } from './storage/storage.ts'

export interface ServiceOptions {
  readonly config: Config
  /** Returns the path of the engine's library. Called only for the embedded engine. Throws if it is not installed. */
  readonly engineLibrary: () => string
  /** Path of the engine's compiled child program. */
  readonly engineChild: string
  /** Called with progress messages during startup. */
  readonly progress: (line: string) => void
  readonly log: Log
}

export interface Service {
  readonly url: string
  readonly project: Project
  /** File with the personal API key. Absent: the key is from the environment or another process. */
  readonly keyFile: string | undefined
  /** Finishes running requests, stores accepted events and stops the engine. */
  stop(): Promise<void>
}

const PROBE_WAIT_MS = 1_000
// A small query each. Determines how soon another process continues the builds of a crashed one.
const REFRESH_MS = 5_000
const SWEEP_MS = 30_000

const firstProject = async ({ projects }: Metadata, token: string | undefined): Promise<Project> => {
  const [first] = await projects.all()
  if (!first) return projects.create({ name: 'Default project', token: token ?? madeUp('tm') })
  if (!token || token === first.token) return first
  await projects.setToken(first.id, token)
  return { ...first, token }
}

/**
 * Ensures that there is a key with all scopes. Returns its file, unless it is from the environment or another process.
 */
const firstKey = async (
  { keys, isShared }: Metadata,
  projectId: number,
  keyFile: KeyFile,
  given: string | undefined,
): Promise<string | undefined> => {
  if (given) {
    await keys.put({ projectId, label: START_KEYS.given, secret: given, scopes: SCOPES })
    return undefined
  }
  // A key that was removed from the environment is no longer valid.
  await keys.remove(START_KEYS.given)
  const kept = keyFile.read()
  const isValid = kept !== '' && (await keys.bySecret(kept)) !== undefined
  // Another process created it and may have its file.
  if (isShared && !isValid && (await keys.list()).some(({ label }) => label === START_KEYS.generated)) return undefined
  const secret = isValid ? kept : madeUp('tmk')
  if (secret !== kept) keyFile.write(secret)
  // At each start, because this release may have more scopes than the one that created the key.
  await keys.put({ projectId, label: START_KEYS.generated, secret, scopes: SCOPES })
  return keyFile.path
}

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
    const allowance = { ...general, ...(Object.hasOwn(keyLimits, label) ? keyLimits[label] : {}) }
    return { ...allowance, memoryBytes: Math.min(allowance.memoryBytes, maxMemoryBytes) }
  }
}

/**
 * Runs work while no other process stores events. Reports an unavailable metadata store as an unavailable event store,
 * which the writer retries.
 */
const storingWithLock =
  ({ withLock }: Metadata) =>
  <Value>(work: () => Promise<Value>): Promise<Value> =>
    withLock('events', work).catch((error: unknown) => {
      throw error instanceof MetadataUnavailable ? new StorageError('unavailable', error.message) : error
    })

/** Starts everything. `stop` ends it in reverse order. Leaves nothing running if it rejects. */
export const startService = async ({
  config,
  engineLibrary,
  engineChild,
  progress,
  log,
}: ServiceOptions): Promise<Service> => {
  const undo: (() => unknown)[] = []
  const stop = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }

  try {
    const isShared = isOneOfMany(config)
    if (!isShared) undo.push(await lockDataDir(config.dataDir))
    const metrics = createMetrics()
    const countryOf = config.geoipFile ? readCountries(config.geoipFile) : () => undefined

    if (config.databaseUrl) progress('Connecting to the Postgres server …')
    const metadata = await openMetadata(metadataLocation(config))
    undo.push(() => metadata.close())
    const keyFile = keyFileIn(config.dataDir)
    const { project, keyPath } = await metadata.withLock('start', async () => {
      const first = await firstProject(metadata, config.projectToken)
      return { project: first, keyPath: await firstKey(metadata, first.id, keyFile, config.personalApiKey) }
    })
    const keys = createKeys({ metadata, scopes: SCOPES, keyFile: metadata.isShared ? sharedKeyFile(keyFile) : keyFile })

    const { gate, runMemoryBytes } = await openEngine({
      config,
      metadata,
      library: engineLibrary,
      child: engineChild,
      onStop: (stop) => undo.push(stop),
      onRestart: () => metrics.count('trailmark_engine_restarts_total'),
      progress,
      log,
    })

    const epochs = isShared ? createSharedEpochs(metadata) : createEpochs()
    const slices = createTimeSlices()
    const lastSeen = isShared ? undefined : createLastSeenCache()
    const facts = createPersonFacts(gate.ingest, { slices, ...(lastSeen ? { lastSeen } : {}) })
    const forgetPerson = createForgetPerson(gate.ingest, facts, lastSeen)
    const writer = createWriter(gate.ingest, {
      before: facts.store,
      onChange: epochs.advance,
      ...(isShared ? { withLock: storingWithLock(metadata) } : {}),
      maxChars: config.ingestBytes,
      onBatch({ stored, repeats, seconds }) {
        metrics.count('trailmark_events_stored_total', {}, stored)
        metrics.count('trailmark_events_repeated_total', {}, repeats)
        metrics.observe('trailmark_writer_batch_seconds', {}, seconds)
      },
      onFault: ({ stack }) => log(`Storing a batch of events failed: ${stack}`, { level: 'error' }),
      onFull: (isFull) =>
        isFull
          ? log(
              'The disk of the event store is full. Deliveries get a 507 until there is space. All acknowledged events are stored.',
              { level: 'error' },
            )
          : log('The event store has disk space again.'),
    })
    const rejectedEvents = createRejectedEvents({ ...gate.runs, insert: gate.ingest.insert }, metrics)
    const measured = measureRuns(metrics)
    undo.push(() => writer.close())
    const { byToken } = metadata.projects
    const running = createRunning()
    // Checks and previews of queries have the limits of a run.
    const runLimits = {
      maxSeconds: config.runSeconds,
      maxMemoryBytes: Math.min(config.runMemoryBytes, runMemoryBytes),
    }
    const admit = createAdmit({
      gate: createGate(),
      running,
      allowanceOf: allowancesOf(config, runMemoryBytes),
    })
    const cache = createCache<Outcome>({ maxBytes: config.cacheBytes })
    const lastRuns = createLastRuns(metadata)
    undo.push(() => lastRuns.close())
    const materializations = createMaterializations({
      metadata,
      // Clients wait for previews. Everything else runs in the background.
      storage: { ...gate.background, run: gate.validation.run },
      log,
      lagSeconds: config.materializeLagSeconds,
      previewLimits: runLimits,
    })
    undo.push(() => materializations.close())
    const shadow = createShadow({
      storage: gate.background,
      materializations,
      epochOf: epochs.of,
      percent: config.shadowPercent,
      log,
    })
    undo.push(() => shadow.settled())
    const everyMs = (ms: number, task: 'refresh' | 'sweep') => {
      const timer = setInterval(
        () =>
          void materializations[task]().catch(
            (error: Error) => error instanceof MetadataUnavailable || log(`materialization: ${error.message}`),
          ),
        ms,
      )
      undo.push(() => clearInterval(timer))
    }
    everyMs(REFRESH_MS, 'refresh')
    everyMs(SWEEP_MS, 'sweep')
    const persons = createPersons(gate.runs)
    const erase = createErase({
      storage: gate.background,
      persons,
      // Between two batches, because the next one must not read a partially erased person.
      forget: (projectId, ids) => writer.between(() => forgetPerson(projectId, ids)),
      async onErased(projectId) {
        await epochs.advance(projectId)
        await materializations.invalidate(projectId)
      },
    })
    const flags = createFlagDefinitions(metadata)
    const remoteConfigs = createRemoteConfigs(metadata, flags)
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
          projectByToken: byToken,
          groupTypes: createGroupTypes(metadata),
          writer,
          rejectedEvents,
          slices,
          countryOf,
          count: metrics.count,
        }),
        projectByToken: byToken,
        variables: createVariableDefinitions(metadata),
        endpoints: createEndpointDefinitions({
          metadata,
          describe: createDescribe({ storage: gate.validation, runLimits }),
          materializer: materializations,
        }),
        run: measured(
          createRun({ metadata, storage: gate.runs, admit, cache, epochs, lastRuns, materializations, shadow }),
        ),
        stream: measured(createStream({ metadata, storage: gate.runs, admit, lastRuns, materializations })),
        running,
        runTokens: createRunTokens({ metadata, takesDates: materializations.takesDates }),
        openApi: createOpenApi(metadata, materializations.takesDates),
        flags,
        earlyAccess: createEarlyAccess(metadata, flags),
        remoteConfigs,
        persons,
        erase,
        projects: createProjects(metadata),
        keys,
        rejectedEvents,
        statics: createStatics(config.staticDir),
        metrics: metrics.text,
        localEvaluation: createLocalEvaluation({ definitions: flags, metadata }),
        handleFlags: createFlagsHandler({
          definitions: flags,
          remoteConfigs,
          stored: createStoredProperties(gate.lookups, metadata),
          hasQuota: createFlagQuota(config.flagsPerMinute),
        }),
        readiness: createReadiness({
          storage: gate.ingest,
          metadata,
          definitionsDir: config.databaseUrl ? undefined : config.dataDir,
        }),
      },
    })
    undo.push(() => server.close())
    measureProcess(metrics, {
      writer,
      isReady: () => gate.ready(PROBE_WAIT_MS),
      heldBytes: server.heldBytes,
    })
    const url = await server.listen({ port: config.port, host: config.host })
    return { url, project, keyFile: keyPath, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

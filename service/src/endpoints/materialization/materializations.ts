import { randomBytes } from 'node:crypto'
import type { Log } from '../../lib/log.ts'
import { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion, MaterializedVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { type Statement, type Storage, StorageError, storageApiError, type WorkLimits } from '../../storage/storage.ts'
import { parse, type SqlQuery, toApiError } from '../definitions/check.ts'
import type { MaterializationView, Materializer } from '../definitions/materializer.ts'
import { isInsight } from '../insights/insights.ts'
import type { Obstacle } from './obstacle.ts'
import { buildStatements, type Plan, planOf, planOfInsight } from './plan.ts'
import { type Build, type Due, dueOf, type State, stateOf } from './state.ts'

export interface MaterializationOptions {
  readonly metadata: Pick<Metadata, 'variables' | 'materializations'>
  readonly storage: Pick<Storage, 'rows' | 'run' | 'command' | 'work'>
  readonly log: Log
  /** How long an insert may take until its rows are seen: events of these last seconds are always read live. */
  readonly lagSeconds: number
  /** Most that a preview may take. */
  readonly previewLimits?: WorkLimits
  /** How long after it was replaced a table may still be read. */
  readonly graceMs?: number
  readonly now?: () => number
}

export interface Materializations extends Materializer {
  /** What the runs of a version are answered from; `undefined`: they are live. */
  stored(version: EndpointVersion): Build | undefined
  /** Ends the use of a table, because it is wrong. Runs are live until it is enabled anew. */
  turnOff(versionId: string, table: string, why: string): Promise<void>
  /** Call when events of a project may have been deleted or changed: its runs are live until what is stored has been built anew. */
  invalidate(projectId: number): Promise<void>
  /** Builds what nobody builds: what is older than its endpoint wants, no longer holds the events it was made of, or was left half done. */
  refresh(): Promise<void>
  /** Drops the tables that no process has read for a while, nor will. */
  sweep(): Promise<void>
  /** Resolves when this process builds nothing. */
  settled(): Promise<void>
  close(): Promise<void>
}

const WORK = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }
const PREVIEW: WorkLimits = { maxSeconds: 20, maxMemoryBytes: 1_000_000_000 }
// A run may take a minute.
const GRACE_MS = 90_000
// A process that is killed keeps others from building for so long, and one that is busy misses a few beats.
const CLAIM_MS = 15_000
const BEAT_MS = 4_000

/** The statement as work of a project: builds share the engine between projects. */
const workOf = (projectId: number, { text, params }: Statement): Statement => ({
  text,
  params: { ...params, projectId },
})

const obstaclesOf = (plan: Plan): readonly Obstacle[] => ('obstacles' in plan ? plan.obstacles : [])

const notMaterializable = (obstacles: readonly Obstacle[]): ApiError => {
  const [{ code, message, position, field, fix }] = obstacles as [Obstacle]
  return new ApiError('not_materializable', {
    code,
    detail: `${message}. ${fix}.`,
    attr: 'is_materialized',
    errors: obstacles.map((each) => ({
      path: each.field ?? 'query',
      code: each.code,
      message: `${each.message}. ${each.fix}.`,
      position: each.position,
      fix: each.fix,
    })),
    extra: { ...(position ? { position } : {}), ...(field ? { field } : {}), fix },
  })
}

/**
 * Keeps the tables of materialized endpoints: builds each beside the one in use, checks it, and only then answers from it. What is
 * so stands in the definitions, where each run finds it beside its version; of several processes one at a time claims a build.
 */
export const createMaterializations = ({
  metadata,
  storage,
  log,
  lagSeconds,
  previewLimits = PREVIEW,
  graceMs = GRACE_MS,
  now = Date.now,
}: MaterializationOptions): Materializations => {
  const { all, add, remove } = metadata.materializations
  /** What this process does for a version. */
  const work = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  /** Tables that nobody names, and since when that is known. */
  let unused: ReadonlyMap<string, number> = new Map()
  let isClosed = false

  const iso = (ms: number) => new Date(ms).toISOString()
  const change = async (versionId: string, next: (state: State) => State) =>
    (await metadata.materializations.change(versionId, (state) => next(state as State))) as State | undefined

  const planFor = async (projectId: number, query: unknown): Promise<Plan> => {
    if (isInsight(query)) return planOfInsight(query)
    try {
      return planOf(parse((query as SqlQuery).query), await metadata.variables.list(projectId))
    } catch (error) {
      throw toApiError(error)
    }
  }

  const drop = async (table: string) => {
    try {
      await storage.command(`DROP TABLE IF EXISTS db.${table} SYNC`)
    } catch (error) {
      log(`materialization: ${table} could not be dropped and will be later: ${(error as Error).message}`)
    }
  }

  const build = async (
    { projectId, version }: MaterializedVersion,
    table: string,
    signal: AbortSignal,
  ): Promise<Build> => {
    const plan = await planFor(projectId, version.query)
    if ('obstacles' in plan) throw notMaterializable(plan.obstacles)
    const [{ watermark }] = (await storage.rows<{ watermark: string }>({
      text: "SELECT toString(now64(3, 'UTC') - toIntervalSecond({lag:UInt32})) AS watermark",
      params: { lag: lagSeconds, projectId },
    })) as [{ watermark: string }]
    const { create, fill, held, events } = buildStatements(plan.table, projectId, { table, watermark })
    try {
      await storage.work(workOf(projectId, create), WORK, signal)
      await storage.work(workOf(projectId, fill), WORK, signal)
      const [found] = (await storage.rows<{ rows: string; events: string }>(workOf(projectId, held))) as [
        { rows: string; events: string },
      ]
      const [wanted] = (await storage.rows<{ events: string }>(workOf(projectId, events))) as [{ events: string }]
      if (Number(found.events) !== Number(wanted.events))
        throw new Error(`The table was made of ${found.events} events where there are ${wanted.events}`)
      const [size] = await storage.rows<{ bytes: string }>({
        text: "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = 'db' AND table = {table:String} AND active",
        params: { table, projectId },
      })
      return {
        table,
        watermark,
        signature: plan.table.signature,
        rows: Number(found.rows),
        bytes: Number(size?.bytes ?? 0),
        events: Number(found.events),
        builtAt: iso(now()),
      }
    } catch (error) {
      await drop(table)
      throw error
    }
  }

  /** Builds under a claim. It counts only if the claim is still there in the end: what ended it is known to more than this process. */
  const buildAndSwap = async (materialized: MaterializedVersion, table: string, stop: AbortController) => {
    const { id } = materialized.version
    const whileClaimed = (next: (state: State) => State) =>
      change(id, (state) => (state.claim?.table === table ? next(state) : state))
    const beat = setInterval(() => {
      whileClaimed((state) => ({ ...state, claim: { table, until: iso(now() + CLAIM_MS) } })).then(
        (state) => state?.claim?.table !== table && stop.abort(),
        () => {}, // the definitions are away for a moment, and the end decides
      )
    }, BEAT_MS)
    try {
      const made = await build(materialized, table, stop.signal)
      const after = await whileClaimed((state) => ({ ...state, build: made, claim: undefined, error: undefined }))
      if (after?.build?.table !== table) await drop(table)
    } catch (error) {
      // Somebody else may begin at once.
      if (stop.signal.aborted)
        return void (await whileClaimed((state) => ({ ...state, claim: undefined, lookedAt: undefined })))
      log(`materialization: building version ${id} failed: ${(error as Error).message}`)
      // The engine's own words hold the compiled text.
      const why =
        error instanceof StorageError
          ? `The engine refused the build: ${error.engineCode ?? error.kind}.`
          : (error as Error).message
      await whileClaimed((state) => ({ ...state, claim: undefined, error: why, lookedAt: iso(now()) }))
    } finally {
      clearInterval(beat)
    }
  }

  const countOf = async (projectId: number, statement: Statement): Promise<number> => {
    const [found] = (await storage.rows<{ events: string }>(workOf(projectId, statement))) as [{ events: string }]
    return Number(found.events)
  }

  /** Whether a table was made of the events that there are, of those that it may hold. */
  const isOfAllEvents = async ({ projectId, version }: MaterializedVersion, held: Build): Promise<boolean> => {
    const plan = await planFor(projectId, version.query)
    return (
      'table' in plan &&
      plan.table.signature === held.signature &&
      (await countOf(projectId, buildStatements(plan.table, projectId, held).events)) === held.events
    )
  }

  const isWhole = async (materialized: MaterializedVersion, held: Build): Promise<boolean> => {
    try {
      return (
        (await countOf(materialized.projectId, { text: `SELECT sum(__count) AS events FROM db.${held.table}` })) ===
          held.events && (await isOfAllEvents(materialized, held))
      )
    } catch (error) {
      // The table has gone, as after a restored backup.
      if (error instanceof StorageError && error.kind === 'query') return false
      throw error
    }
  }

  /** Ends the use of a table, and makes another. */
  const retire = async ({ version }: MaterializedVersion, { table }: Build) => {
    log(`materialization: version ${version.id} no longer holds the events it was made of`)
    await change(version.id, (state) =>
      state.build?.table === table ? { ...state, build: undefined, lookedAt: undefined } : state,
    )
  }

  /** Does what is due for a version, unless another process has begun to. */
  const tend = async (materialized: MaterializedVersion, stop: AbortController): Promise<void> => {
    const { id, dataFreshnessSeconds } = materialized.version
    const table = `rollup_${id.replaceAll('-', '')}_${randomBytes(4).toString('hex')}`
    let due = 'nothing' as Due
    const state = await change(id, (before) => {
      due = dueOf(before, dataFreshnessSeconds, now())
      if (due === 'nothing') return before
      return {
        ...before,
        lookedAt: iso(now()),
        ...(due === 'build' ? { claim: { table, until: iso(now() + CLAIM_MS) } } : {}),
      }
    })
    if (due === 'build') return buildAndSwap(materialized, table, stop)
    if (due === 'nothing' || (await isWhole(materialized, state!.build!))) return
    await retire(materialized, state!.build!)
    return tend(materialized, stop)
  }

  const start = (materialized: MaterializedVersion) => {
    const { id } = materialized.version
    if (isClosed || work.has(id)) return
    const stop = new AbortController()
    const done = tend(materialized, stop)
      .catch((error: unknown) => log(`materialization: ${(error as Error).message}`))
      .finally(() => {
        work.delete(id)
        // What it was about is no longer so: something else may be due.
        if (stop.signal.aborted) start(materialized)
      })
    work.set(id, { stop, done })
  }

  const disable = async (versionId: string) => {
    await remove(versionId)
    work.get(versionId)?.stop.abort()
  }

  const viewOf = (endpoint: Endpoint, version: EndpointVersion, plan: Plan): MaterializationView => {
    const state = stateOf(version)
    const obstacles = obstaclesOf(plan)
    return {
      name: `${endpoint.name}_v${version.version}`,
      enabled: state !== undefined,
      ready: state?.build !== undefined,
      ...(state
        ? { status: state.claim ? 'Running' : state.error ? 'Failed' : state.build ? 'Completed' : 'Running' }
        : {}),
      ...(state && isInsight(version.query) ? { date_variables: state.takesDates ?? false } : {}),
      can_materialize: obstacles.length === 0,
      ...(obstacles.length > 0 ? { reason: obstacles[0]!.message, obstacles } : {}),
      ...(state?.build
        ? { last_materialized_at: state.build.builtAt, rows: state.build.rows, bytes: state.build.bytes }
        : {}),
      ...(state?.error ? { error: state.error } : {}),
    }
  }

  const settled = async () => {
    while (work.size > 0) await Promise.allSettled([...work.values()].map(({ done }) => done))
  }

  return {
    async check(projectId, query) {
      const obstacles = obstaclesOf(await planFor(projectId, query))
      return obstacles.length > 0 ? notMaterializable(obstacles) : undefined
    },
    async enable(projectId, endpoint, version, takesDates) {
      const materialized = { projectId, endpointId: endpoint.id, version }
      await add(materialized, {})
      await change(version.id, (state) => ({
        ...state,
        ...(takesDates === undefined ? {} : { takesDates }),
        ...(state.build ? {} : { isTurnedOff: undefined, error: undefined, lookedAt: undefined }),
      }))
      start(materialized)
    },
    disable,
    isEnabled: (version) => stateOf(version) !== undefined,
    takesDates: (version) => stateOf(version)?.takesDates ?? stateOf(version) === undefined,
    view: async (projectId, endpoint, version) => viewOf(endpoint, version, await planFor(projectId, version.query)),
    async preview(projectId, endpoint, version) {
      const plan = await planFor(projectId, version.query)
      if ('obstacles' in plan) return viewOf(endpoint, version, plan)
      const far = { table: 'preview', watermark: new Date(now()).toISOString().replace('T', ' ').replace('Z', '') }
      const { estimate, fill } = buildStatements(plan.table, projectId, far)
      const { rows } = await storage
        .run(estimate, { ...previewLimits, maxRows: 1, projectId })
        .catch((error: unknown) => {
          if (!(error instanceof StorageError)) throw error
          throw (
            storageApiError(error) ??
            new ApiError('query_timeout', { detail: 'The preview takes too long: there is too much to look at.' })
          )
        })
      const [count, events, bytes] = rows[0]!.map(Number) as [number, number, number]
      return {
        ...viewOf(endpoint, version, plan),
        preview: {
          kind: plan.table.kind,
          rows: count,
          bytes: Math.round(count * (bytes || 0)),
          events,
          expected_speed_up: count > 0 ? Number((events / count).toFixed(1)) : 1,
          stored_query: fill.text.slice(fill.text.indexOf('SELECT')),
        },
      }
    },
    stored: (version) => stateOf(version)?.build,
    async turnOff(versionId, table, why) {
      const materialized = (await all()).find(({ version }) => version.id === versionId)
      const held = materialized && stateOf(materialized.version)?.build
      if (held?.table !== table) return
      // Events may have been deleted, which is no fault of the table.
      if (!(await isOfAllEvents(materialized!, held))) {
        await retire(materialized!, held)
        return start(materialized!)
      }
      log(`materialization: version ${versionId} is turned off: ${why}`)
      await change(versionId, (state) =>
        state.build?.table === table
          ? { ...state, build: undefined, claim: undefined, error: why, isTurnedOff: true }
          : state,
      )
      work.get(versionId)?.stop.abort()
    },
    async invalidate(projectId) {
      for (const materialized of await all()) {
        if (materialized.projectId !== projectId) continue
        const { id } = materialized.version
        await change(id, (state) =>
          state.isTurnedOff ? state : { ...state, build: undefined, claim: undefined, lookedAt: undefined },
        )
        work.get(id)?.stop.abort()
        start(materialized)
      }
    },
    async refresh() {
      for (const materialized of await all()) {
        const { version } = materialized
        if (dueOf(stateOf(version)!, version.dataFreshnessSeconds, now()) !== 'nothing') start(materialized)
      }
    },
    async sweep() {
      // In this order: a table is named before it is made.
      const there = await storage.rows<{ name: string }>({
        text: "SELECT name FROM system.tables WHERE database = 'db' AND startsWith(name, 'rollup_')",
      })
      const named = new Set(
        (await all()).flatMap(({ version }) => [stateOf(version)!.build?.table, stateOf(version)!.claim?.table]),
      )
      unused = new Map(there.flatMap(({ name }) => (named.has(name) ? [] : [[name, unused.get(name) ?? now()]])))
      for (const [name, since] of unused) if (now() - since >= graceMs) await drop(name)
    },
    settled,
    async close() {
      isClosed = true
      for (const { stop } of work.values()) stop.abort()
      await settled()
    },
  }
}

import { randomBytes } from 'node:crypto'
import type { Log } from '../../lib/log.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Endpoint, EndpointVersion, Records } from '../../storage/records.ts'
import { type Storage, StorageError } from '../../storage/storage.ts'
import { parse, type SqlQuery, toRefusal } from '../definitions/check.ts'
import type { MaterializationView, Materializer } from '../definitions/materializer.ts'
import { isInsight } from '../insights/insights.ts'
import type { Obstacle } from './obstacle.ts'
import { buildStatements, type Plan, planOf, planOfInsight } from './plan.ts'

/** A table that runs are answered from. */
export interface Build {
  readonly table: string
  readonly signature: string
  readonly watermark: string
  readonly rows: number
  readonly bytes: number
  /** Of how many events it was made. */
  readonly events: number
  readonly builtAt: string
}

interface State {
  readonly isEnabled: boolean
  /** Of an insight: whether runs may pass dates. */
  readonly takesDates?: boolean | undefined
  readonly status: 'Running' | 'Completed' | 'Failed'
  /** The last good one. */
  readonly build?: Build | undefined
  readonly error?: string | undefined
  /** It gave other rows than a live run, and waits for a person. */
  readonly isTurnedOff?: boolean | undefined
  /** Tables that nobody reads any more, or that were not finished. */
  readonly leftover: readonly string[]
}

interface Entry {
  readonly versionId: string
  readonly projectId: number
  readonly endpointId: string
  readonly version: number
  state: State
}

export interface MaterializationOptions {
  readonly records: Pick<Records, 'endpoints' | 'variables' | 'materializations'>
  readonly storage: Pick<Storage, 'rows' | 'run' | 'command' | 'work'>
  readonly log: Log
  /** How long an insert may take until its rows are seen: events of these last seconds are always read live. */
  readonly lagSeconds: number
  /** How long after it was replaced a table may still be read. */
  readonly graceMs?: number
  readonly now?: () => number
}

export interface Materializations extends Materializer {
  /** What the runs of a version are answered from; `undefined`: they are live. */
  stored(versionId: string): Build | undefined
  /** Ends the use of what is stored, because it is wrong. Runs are live until it is enabled anew. */
  turnOff(versionId: string, why: string): Promise<void>
  /** Call when events of a project may have been deleted or changed: its runs are live until what is stored has been built anew. */
  invalidate(projectId: number): Promise<void>
  /** Builds anew what is older than its endpoint wants, and what no longer holds the events it was made of. */
  refresh(): Promise<void>
  /** Resolves when no build is under way. */
  settled(): Promise<void>
  close(): Promise<void>
}

const WORK = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }
const PREVIEW = { maxSeconds: 20, maxMemoryBytes: 1_000_000_000, maxRows: 1 }
// A run may take a minute.
const GRACE_MS = 90_000

const obstaclesOf = (plan: Plan): readonly Obstacle[] => ('obstacles' in plan ? plan.obstacles : [])

const notMaterializable = (obstacles: readonly Obstacle[]): Refusal => {
  const [{ code, message, position, field, fix }] = obstacles as [Obstacle]
  return new Refusal('not_materializable', {
    code,
    detail: `${message}. ${fix}.`,
    attr: 'is_materialized',
    errors: obstacles.map((each) => ({ path: each.field ?? 'query', code: each.code, message: `${each.message}. ${each.fix}.`, position: each.position, fix: each.fix })),
    extra: { ...(position ? { position } : {}), ...(field ? { field } : {}), fix },
  })
}

/** Keeps the tables of materialized endpoints: builds each beside the one in use, checks it, and only then answers from it. */
export const createMaterializations = async ({ records, storage, log, lagSeconds, graceMs = GRACE_MS, now = Date.now }: MaterializationOptions): Promise<Materializations> => {
  const entries = new Map<string, Entry>()
  const builds = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false

  const planFor = async (projectId: number, query: unknown): Promise<Plan> => {
    if (isInsight(query)) return planOfInsight(query)
    try {
      return planOf(parse((query as SqlQuery).query), await records.variables.list(projectId))
    } catch (error) {
      throw toRefusal(error)
    }
  }

  const save = async (entry: Entry, changes: Partial<State>) => {
    entry.state = { ...entry.state, ...changes }
    if (entries.get(entry.versionId) !== entry) return
    if (entry.state.isEnabled || entry.state.leftover.length > 0) return records.materializations.put(entry)
    entries.delete(entry.versionId)
    await records.materializations.remove(entry.versionId)
  }

  const drop = async (entry: Entry, table: string) => {
    try {
      await storage.command(`DROP TABLE IF EXISTS db.${table} SYNC`)
      await save(entry, { leftover: entry.state.leftover.filter((each) => each !== table) })
    } catch (error) {
      log(`materialization: ${table} could not be dropped and will be at the next start: ${(error as Error).message}`)
    }
  }

  const dropLater = (entry: Entry, table: string) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void drop(entry, table)
    }, graceMs)
    timer.unref()
    timers.add(timer)
  }

  /** Ends the use of an entry's table. */
  const retire = async (entry: Entry, changes: Partial<State> = { status: 'Running' }) => {
    const table = entry.state.build?.table
    await save(entry, { ...changes, build: undefined, leftover: [...entry.state.leftover, ...(table ? [table] : [])] })
    if (table) dropLater(entry, table)
  }

  const build = async (entry: Entry, signal: AbortSignal): Promise<Build> => {
    const version = await records.endpoints.version(entry.endpointId, entry.version)
    const plan = await planFor(entry.projectId, version!.query)
    if ('obstacles' in plan) throw notMaterializable(plan.obstacles)
    const table = `rollup_${entry.versionId.replaceAll('-', '')}_${randomBytes(4).toString('hex')}`
    const [{ watermark }] = (await storage.rows<{ watermark: string }>({ text: "SELECT toString(now64(3, 'UTC') - toIntervalSecond({lag:UInt32})) AS watermark", params: { lag: lagSeconds } })) as [{ watermark: string }]
    const { create, fill, held, events } = buildStatements(plan.table, entry.projectId, { table, watermark })
    await save(entry, { leftover: [...entry.state.leftover, table] })
    try {
      await storage.work(create, WORK, signal)
      await storage.work(fill, WORK, signal)
      const [found] = (await storage.rows<{ rows: string; events: string }>(held)) as [{ rows: string; events: string }]
      const [wanted] = (await storage.rows<{ events: string }>(events)) as [{ events: string }]
      if (Number(found.events) !== Number(wanted.events)) throw new Error(`The table was made of ${found.events} events where there are ${wanted.events}`)
      const [size] = await storage.rows<{ bytes: string }>({ text: "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = 'db' AND table = {table:String} AND active", params: { table } })
      return { table, watermark, signature: plan.table.signature, rows: Number(found.rows), bytes: Number(size?.bytes ?? 0), events: Number(found.events), builtAt: new Date(now()).toISOString() }
    } catch (error) {
      await drop(entry, table)
      throw error
    }
  }

  const buildAndSwap = async (entry: Entry, signal: AbortSignal) => {
    const before = entry.state.build
    try {
      await save(entry, { status: 'Running' })
      const made = await build(entry, signal)
      if (signal.aborted) return await drop(entry, made.table)
      await save(entry, { status: 'Completed', build: made, error: undefined, leftover: [...entry.state.leftover.filter((each) => each !== made.table), ...(before ? [before.table] : [])] })
      if (before) dropLater(entry, before.table)
    } catch (error) {
      if (signal.aborted) return
      log(`materialization: building version ${entry.versionId} failed: ${(error as Error).message}`)
      // The engine's own words hold the compiled text.
      await save(entry, { status: 'Failed', error: error instanceof StorageError ? `The engine refused the build: ${error.engineCode ?? error.kind}.` : (error as Error).message })
    }
  }

  const start = (entry: Entry) => {
    if (isClosed || builds.has(entry.versionId)) return
    const stop = new AbortController()
    const done = buildAndSwap(entry, stop.signal).finally(() => {
      builds.delete(entry.versionId)
      // Ended because what it read is no longer so, or turned off and on again meanwhile.
      if (stop.signal.aborted && entry.state.isEnabled) start(entry)
    })
    done.catch((error: unknown) => log(`materialization: ${(error as Error).message}`))
    builds.set(entry.versionId, { stop, done })
  }

  const disable = async (versionId: string) => {
    const entry = entries.get(versionId)
    if (!entry) return
    entry.state = { ...entry.state, isEnabled: false, takesDates: undefined }
    builds.get(versionId)?.stop.abort()
    await retire(entry)
  }

  const isWhole = async (entry: Entry, held: Build): Promise<boolean> => {
    const version = await records.endpoints.version(entry.endpointId, entry.version)
    const plan = await planFor(entry.projectId, version!.query)
    if ('obstacles' in plan || plan.table.signature !== held.signature) return false
    const statements = buildStatements(plan.table, entry.projectId, held)
    try {
      const [kept] = (await storage.rows<{ events: string }>(statements.held)) as [{ events: string }]
      const [wanted] = (await storage.rows<{ events: string }>(statements.events)) as [{ events: string }]
      return Number(kept.events) === held.events && Number(wanted.events) === held.events
    } catch (error) {
      // The table has gone, as after a restored backup.
      if (error instanceof StorageError && error.kind === 'query') return false
      throw error
    }
  }

  const viewOf = (endpoint: Endpoint, version: EndpointVersion, plan: Plan): MaterializationView => {
    const state = entries.get(version.id)?.state
    const obstacles = obstaclesOf(plan)
    return {
      name: `${endpoint.name}_v${version.version}`,
      enabled: state?.isEnabled ?? false,
      ready: state?.build !== undefined,
      ...(state?.isEnabled ? { status: state.status } : {}),
      ...(state?.isEnabled && isInsight(version.query) ? { date_variables: state.takesDates ?? false } : {}),
      can_materialize: obstacles.length === 0,
      ...(obstacles.length > 0 ? { reason: obstacles[0]!.message, obstacles } : {}),
      ...(state?.build ? { last_materialized_at: state.build.builtAt, rows: state.build.rows, bytes: state.build.bytes } : {}),
      ...(state?.error ? { error: state.error } : {}),
    }
  }

  const isOn = (versionId: string) => entries.get(versionId)?.state.isEnabled ?? false

  const settled = async () => {
    while (builds.size > 0) await Promise.allSettled([...builds.values()].map(({ done }) => done))
  }

  for (const record of await records.materializations.all()) {
    const entry: Entry = { ...record, state: record.state as State }
    entries.set(entry.versionId, entry)
    for (const table of entry.state.leftover) await drop(entry, table)
    if (entry.state.isEnabled && entry.state.status === 'Running') start(entry)
  }

  return {
    async check(projectId, query) {
      const obstacles = obstaclesOf(await planFor(projectId, query))
      return obstacles.length > 0 ? notMaterializable(obstacles) : undefined
    },
    async enable(projectId, endpoint, version, takesDates) {
      const known = entries.get(version.id)
      const entry: Entry = known ?? { versionId: version.id, projectId, endpointId: endpoint.id, version: version.version, state: { isEnabled: true, status: 'Running', leftover: [] } }
      entries.set(version.id, entry)
      await save(entry, { isEnabled: true, isTurnedOff: false, takesDates: takesDates ?? entry.state.takesDates, status: entry.state.build ? entry.state.status : 'Running' })
      if (!entry.state.build) start(entry)
    },
    disable,
    isEnabled: isOn,
    takesDates: (versionId) => !isOn(versionId) || (entries.get(versionId)!.state.takesDates ?? false),
    view: async (projectId, endpoint, version) => viewOf(endpoint, version, await planFor(projectId, version.query)),
    async preview(projectId, endpoint, version) {
      const plan = await planFor(projectId, version.query)
      if ('obstacles' in plan) return viewOf(endpoint, version, plan)
      const far = { table: 'preview', watermark: new Date(now()).toISOString().replace('T', ' ').replace('Z', '') }
      const { estimate, fill } = buildStatements(plan.table, projectId, far)
      const { rows } = await storage.run(estimate, { ...PREVIEW, projectId }).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error
        throw new Refusal(error.kind === 'unavailable' || error.kind === 'capacity' ? 'engine_unavailable' : 'query_timeout', { detail: 'The preview takes too long: there is too much to look at.' })
      })
      const [count, events, bytes] = rows[0]!.map(Number) as [number, number, number]
      return {
        ...viewOf(endpoint, version, plan),
        preview: { kind: plan.table.kind, rows: count, bytes: Math.round(count * (bytes || 0)), events, expected_speed_up: count > 0 ? Number((events / count).toFixed(1)) : 1, stored_query: fill.text.slice(fill.text.indexOf('SELECT')) },
      }
    },
    stored: (versionId) => entries.get(versionId)?.state.build,
    async turnOff(versionId, why) {
      const entry = entries.get(versionId)
      if (!entry?.state.build) return
      log(`materialization: version ${versionId} is turned off: ${why}`)
      await retire(entry, { status: 'Failed', error: why, isTurnedOff: true })
    },
    async invalidate(projectId) {
      for (const entry of entries.values()) {
        if (entry.projectId !== projectId || !entry.state.isEnabled || entry.state.isTurnedOff) continue
        builds.get(entry.versionId)?.stop.abort()
        await retire(entry)
        start(entry)
      }
    },
    async refresh() {
      for (const entry of [...entries.values()]) {
        const { build: held, isEnabled, isTurnedOff } = entry.state
        if (!isEnabled || builds.has(entry.versionId)) continue
        if (!held) {
          if (!isTurnedOff) start(entry)
          continue
        }
        const version = await records.endpoints.version(entry.endpointId, entry.version)
        if (!version) continue
        if (!(await isWhole(entry, held))) {
          log(`materialization: version ${entry.versionId} no longer holds the events it was made of`)
          await retire(entry)
          start(entry)
        } else if (now() - Date.parse(held.builtAt) >= version.dataFreshnessSeconds * 1_000) start(entry)
      }
    },
    settled,
    async close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      for (const { stop } of builds.values()) stop.abort()
      await settled()
    },
  }
}

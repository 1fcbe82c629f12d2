import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createDashboardStore } from '../../../src/dashboards/store.ts'
import { createShareStore } from '../../../src/shares/store.ts'
import { createErrorTrackingStore } from '../../../src/errorTracking/store.ts'
import { createDeletedRecordingStore } from '../../../src/recordings/store.ts'
import { HIDES_NOTHING, KEEPS_ALL } from '../../../src/retention/policy.ts'
import { createDeletionStore, createErasureStore, createRetentionStore } from '../../../src/retention/store.ts'
import { openMetadata, TokenTaken } from '../../../src/storage/metadata/metadata.ts'
import { createSurveyStore } from '../../../src/surveys/store.ts'
import { createToolbarStore } from '../../../src/toolbar/store.ts'
import { BEGIN, createImportStore } from '../../../src/transfers/store.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/startService.ts'

let postgres: PostgresServer
let folder: string
let places = 0

beforeAll(async () => {
  postgres = await startPostgres()
  folder = temporaryFolder()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

interface TestStore {
  /** Returns the location of a new empty store. */
  place(): Promise<string>
  /** Returns the location of an empty store with the tables of the store at `template`, which nobody may have open. */
  emptyLike(template: string): Promise<string>
  textOf(place: string): Promise<string>
}

/** Deletes the rows of all tables except the list of migrations, and lets the numbering of rows begin at 1 again. */
/** Everything that fake timers replace except the clock. */
const TIMERS: NonNullable<Extract<Parameters<typeof jest.useFakeTimers>[0], { doNotFake?: unknown }>['doNotFake']> = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
]

const EMPTY_TABLES = `DO $$ DECLARE each record; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR each IN SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'steps' LOOP
    EXECUTE format('DELETE FROM %I', each.name);
  END LOOP;
  PERFORM setval(format('%I', sequencename)::regclass, start_value, false) FROM pg_sequences WHERE schemaname = 'public';
END $$`

const STORES: Readonly<Record<string, TestStore>> = {
  SQLite: {
    place: async () => join(folder, `definitions ${(places += 1)}.db`),
    async emptyLike(template) {
      const file = await this.place()
      copyFileSync(template, file)
      return file
    },
    textOf: async (file) => ['', '-wal'].map((end) => readFileSync(`${file}${end}`, 'latin1')).join(''),
  },
  Postgres: {
    place: () => postgres.create(`definitions_${(places += 1)}`),
    // The same database: creating one writes 300 files.
    async emptyLike(template) {
      await postgres.ask(template, EMPTY_TABLES)
      return template
    },
    textOf: async (url) => JSON.stringify(await postgres.ask(url, 'SELECT * FROM api_keys')),
  },
}

/** Returns the paths of all functions in `value`. */
const methodsOf = (value: object, path = ''): string[] =>
  Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'function'
      ? [path + name]
      : typeof each === 'object' && each
        ? methodsOf(each, `${path}${name}.`)
        : [],
  )

/** Wraps the store and adds the path of each called function to `called`. */
const recordCalls = <Value extends object>(value: Value, called: Set<string>, path = ''): Value =>
  new Proxy(value, {
    get(target, name: string) {
      const each = target[name as keyof Value] as unknown
      if (typeof each === 'object' && each) return recordCalls(each, called, `${path}${name}.`)
      if (typeof each === 'function') called.add(path + name)
      return each
    },
  })

/** Opens the metadata with the stores of modules. */
const openStores = async (at: string) => {
  const { store, ...metadata } = await openMetadata(at)
  return {
    ...metadata,
    dashboards: store(createDashboardStore),
    shares: store(createShareStore),
    deletedRecordings: store(createDeletedRecordingStore),
    retention: store(createRetentionStore),
    deletions: store(createDeletionStore),
    erasures: store(createErasureStore),
    imports: store(createImportStore),
    errorTracking: store(createErrorTrackingStore),
    surveys: store(createSurveyStore),
    toolbar: store(createToolbarStore),
  }
}
type Stores = Awaited<ReturnType<typeof openStores>>

const variable = { name: 'Plan', codeName: 'plan', type: 'String', defaultValue: null, values: [], schema: undefined }
const endpoint = {
  name: 'e',
  description: '',
  isActive: true,
  query: { query: 'SELECT 1' },
  columns: undefined,
  dataFreshnessSeconds: 900,
}
const flag = {
  key: 'f',
  name: 'Flag',
  isActive: true,
  filters: { groups: [{ rollout_percentage: 50 }] },
  contexts: ['web'],
}
const next = (n: number) => ({
  query: { query: `SELECT ${n}` },
  columns: [{ name: 'n', type: 'integer' }],
  dataFreshnessSeconds: 1800,
})

describe.each(Object.keys(STORES))('definitions in %s', (name) => {
  const store = STORES[name]!
  const called = new Set<string>()
  let template: string
  let at: string
  let metadata: Stores

  const open = async () => recordCalls(await openStores(at), called)
  // The migrations of a store take longer than most tests.
  beforeAll(async () => {
    template = await store.place()
    await (await openMetadata(template)).close()
  })
  beforeEach(async () => {
    at = await store.emptyLike(template)
    metadata = await open()
  })
  afterEach(() => metadata.close())

  test('keeps data after it is closed and opened again', async () => {
    const project = await metadata.projects.create({ name: 'p', token: 't' })
    await metadata.variables.create(project.id, variable)
    await metadata.close()
    metadata = await open()
    expect(await metadata.projects.byToken('t')).toEqual(project)
    expect(await metadata.variables.list(project.id)).toMatchObject([{ codeName: 'plan' }])
  })

  // SQLite also allows this across processes. Within one process, its driver blocks the others while it waits.
  const whereShared = name === 'Postgres' ? test : test.skip
  whereShared('of several that open an empty one at the same time, each finds it whole', async () => {
    await metadata.close()
    at = await store.place()
    const others = await Promise.all([1, 2, 3].map(() => openMetadata(at)))
    for (const [index, other] of others.entries()) await other.projects.create({ name: 'p', token: `t${index}` })
    metadata = await open()
    expect((await metadata.projects.all()).map(({ id }) => id)).toEqual([1, 2, 3])
    for (const other of others) await other.close()
  })

  test('returns changes of another process immediately', async () => {
    const project = await metadata.projects.create({ name: 'p', token: 't' })
    await metadata.keys.put({ projectId: project.id, label: 'k', secret: 'secret', scopes: [] })
    const made = (await metadata.endpoints.create(project.id, endpoint))!
    const reads = () =>
      Promise.all([
        metadata.projects.byToken('t').then((found) => found?.name),
        metadata.projects.byId(project.id).then((found) => found?.name),
        metadata.keys.bySecret('secret').then((found) => found?.label),
        metadata.variables.list(project.id).then((found) => found.length),
        metadata.endpoints.get(project.id, 'e').then((found) => found?.description),
        metadata.endpoints.version(made.id, 1).then((found) => found?.isActive),
        metadata.endpoints.version(made.id, 2).then((found) => found?.version),
      ])
    const before = ['p', 'p', 'k', 0, '', true, undefined]
    expect([await reads(), await reads()]).toEqual([before, before])
    const other = await openMetadata(at)
    await other.projects.change(project.id, { name: 'q' })
    await other.keys.remove('k')
    await other.variables.create(project.id, variable)
    await other.endpoints.update(made.id, { description: 'new', next: next(2) })
    await other.endpoints.changeVersion(made.id, 1, { isActive: false })
    expect(await reads()).toEqual(['q', 'q', undefined, 1, 'new', false, 2])
    await other.close()
  })

  test('accepts a previous secret and a previous token until they expire, even when cached', async () => {
    const { id } = await metadata.projects.create({ name: 'p', token: 'old token' })
    const key = (await metadata.keys.create({ projectId: id, label: 'k', secret: 'old secret', scopes: [] }))!
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await metadata.projects.setToken(id, 'new token', until)
    await metadata.keys.rotate(key.id, { secret: 'new secret', previousUntil: until })
    const found = async () =>
      [
        await metadata.projects.byToken('old token'),
        await metadata.projects.byToken('new token'),
        await metadata.keys.bySecret('old secret'),
        await metadata.keys.bySecret('new secret'),
      ].map((each) => each !== undefined)
    expect([await found(), await found()]).toEqual([
      [true, true, true, true],
      [true, true, true, true],
    ])
    jest.useFakeTimers({ now: Date.parse(until) + 1, doNotFake: TIMERS })
    try {
      expect(await found()).toEqual([false, true, false, true])
      expect((await metadata.keys.bySecret('new secret'))!.previousUntil).toBeUndefined()
    } finally {
      jest.useRealTimers()
    }
  })

  describe('projects', () => {
    test('numbers projects in order of creation, also when created concurrently', async () => {
      const made = await Promise.all(
        ['a', 'b', 'c'].map((token) => metadata.projects.create({ name: token, token, timezone: 'Asia/Tokyo' })),
      )
      expect(made.map(({ id }) => id).sort()).toEqual([1, 2, 3])
      expect(await metadata.projects.all()).toEqual(made.sort((a, b) => a.id - b.id))
    })

    test('rejects a token that another project has', async () => {
      await metadata.projects.create({ name: 'p', token: 't' })
      await expect(metadata.projects.create({ name: 'q', token: 't' })).rejects.toThrow(TokenTaken)
    })

    test('defaults the time zone of a project to UTC', async () => {
      const { id, timezone } = await metadata.projects.create({ name: 'p', token: 't' })
      await metadata.projects.change(id, { timezone: 'Europe/Berlin' })
      await metadata.projects.change(id, {})
      expect([timezone, (await metadata.projects.byId(id))!.timezone]).toEqual(['UTC', 'Europe/Berlin'])
      expect(await metadata.projects.byId(2)).toBeUndefined()
    })
  })

  test('stores the authorized origins of a project', async () => {
    const { id, toolbarOrigins } = await metadata.projects.create({ name: 'Shop', token: 'shop' })
    await metadata.projects.change(id, { toolbarOrigins: ['https://shop.example'] })
    await metadata.projects.change(id, { name: 'Renamed' })
    expect(toolbarOrigins).toEqual([])
    expect(await metadata.projects.byId(id)).toMatchObject({
      name: 'Renamed',
      toolbarOrigins: ['https://shop.example'],
    })
  })

  describe('keys', () => {
    test('finds a key by its secret without storing the secret', async () => {
      await metadata.keys.put({ projectId: 1, label: 'k', secret: 'a-secret-of-mine', scopes: ['endpoint:read'] })
      expect(await metadata.keys.bySecret('a-secret-of-mine')).toMatchObject({
        projectId: 1,
        scopes: ['endpoint:read'],
      })
      expect(await metadata.keys.bySecret('another')).toBeUndefined()
      expect(await store.textOf(at)).not.toContain('a-secret-of-mine')
    })

    test('put replaces the secret or the scopes of a key', async () => {
      await metadata.keys.put({ projectId: 1, label: 'k', secret: 'old', scopes: [] })
      await metadata.keys.put({ projectId: 1, label: 'k', secret: 'new', scopes: [] })
      await metadata.keys.put({ projectId: 1, label: 'k', secret: 'new', scopes: ['metrics:read'] })
      expect(await metadata.keys.bySecret('old')).toBeUndefined()
      expect(await metadata.keys.bySecret('new')).toMatchObject({ scopes: ['metrics:read'] })
    })

    test('rejects a label that exists in the project or among the keys for all projects', async () => {
      const key = (projectId: number | undefined, secret: string) =>
        metadata.keys.create({ projectId, label: 'k', secret, scopes: [] })
      const made = [await key(1, 'a'), await key(2, 'b'), await key(undefined, 'c')]
      expect([await key(1, 'd'), await key(undefined, 'e')]).toEqual([undefined, undefined])
      expect((await metadata.keys.list()).map(({ projectId }) => projectId)).toEqual(
        expect.arrayContaining([1, 2, undefined]),
      )
      expect(await metadata.keys.get(made[2]!.id)).toEqual(made[2])
      expect(made[2]!.projectId).toBeUndefined()
    })

    test('creates one key when several with the same label are created concurrently', async () => {
      const made = await Promise.all(
        [1, 2, 3, 4].map((n) => metadata.keys.create({ projectId: 1, label: 'k', secret: `s${n}`, scopes: [] })),
      )
      expect(made.filter(Boolean)).toHaveLength(1)
      expect(await metadata.keys.list()).toHaveLength(1)
    })

    test('records when a key was used and removes it by id or label', async () => {
      const at = new Date().toISOString()
      const [one, other] = [
        (await metadata.keys.create({ projectId: 1, label: 'one', secret: '1', scopes: [] }))!,
        (await metadata.keys.create({ projectId: 1, label: 'other', secret: '2', scopes: [] }))!,
      ]
      await metadata.keys.touch(one.id, at)
      expect(await metadata.keys.get(one.id)).toEqual({ ...one, lastUsedAt: at })
      await metadata.keys.remove(one.id)
      await metadata.keys.remove(other.label)
      expect(await metadata.keys.list()).toEqual([])
    })

    test('accepts a previous secret and a previous token until they expire', async () => {
      const soon = () => new Date(Date.now() + 60_000).toISOString()
      const ago = new Date(Date.now() - 1_000).toISOString()
      const { id } = await metadata.projects.create({ name: 'p', token: 'old token' })
      const key = (await metadata.keys.create({ projectId: id, label: 'k', secret: 'old secret', scopes: [] }))!
      await metadata.projects.setToken(id, 'new token', soon())
      await metadata.keys.rotate(key.id, { secret: 'new secret', previousUntil: soon() })
      expect(await metadata.projects.byToken('old token')).toMatchObject({ id, token: 'new token' })
      expect(await metadata.keys.bySecret('old secret')).toMatchObject({ id: key.id })
      await metadata.projects.setToken(id, 'newer token', ago)
      await metadata.keys.rotate(key.id, { secret: 'newer secret', previousUntil: ago })
      expect(
        await Promise.all(
          ['old token', 'new token', 'newer token'].map(async (token) => (await metadata.projects.byToken(token))?.id),
        ),
      ).toEqual([undefined, undefined, id])
      expect(
        await Promise.all(
          ['old secret', 'new secret', 'newer secret'].map(
            async (secret) => (await metadata.keys.bySecret(secret))?.id,
          ),
        ),
      ).toEqual([undefined, undefined, key.id])
      expect(await metadata.projects.byToken('newer token')).toMatchObject({ previousTokenUntil: undefined })
    })
  })

  describe('variables', () => {
    test('rejects a code name that exists in the same project only', async () => {
      expect(await metadata.variables.create(1, variable)).toBeDefined()
      expect(await metadata.variables.create(1, variable)).toBeUndefined()
      expect(await metadata.variables.create(2, variable)).toBeDefined()
    })

    test('stores, changes and removes a variable', async () => {
      const given = {
        ...variable,
        name: 'Länge “\\"” 𝕏',
        defaultValue: { deep: [1.5, null, 'ü\u0000'] },
        values: ['a', 'b'],
        schema: { type: 'integer', minimum: -9007199254740991 } as const,
      }
      const made = (await metadata.variables.create(1, given))!
      expect(made).toMatchObject(given)
      expect(await metadata.variables.get(1, made.id)).toEqual(made)
      expect(await metadata.variables.update(1, made.id, { defaultValue: false, schema: null })).toEqual({
        ...made,
        defaultValue: false,
        schema: undefined,
      })
      expect(await metadata.variables.update(1, made.id, {})).toMatchObject({ defaultValue: false })
      expect([await metadata.variables.remove(1, made.id), await metadata.variables.remove(1, made.id)]).toEqual([
        true,
        false,
      ])
    })

    test('hides variables and endpoints of other projects', async () => {
      const { id } = (await metadata.variables.create(1, variable))!
      await metadata.endpoints.create(1, endpoint)
      expect(await metadata.variables.get(2, id)).toBeUndefined()
      expect(await metadata.variables.remove(2, id)).toBe(false)
      expect(await metadata.endpoints.get(2, 'e')).toBeUndefined()
    })
  })

  describe('endpoints', () => {
    test('adds a version for a changed query and preserves the earlier one', async () => {
      const { id } = (await metadata.endpoints.create(1, endpoint))!
      expect(await metadata.endpoints.update(id, { description: 'x' })).toBe('done')
      await metadata.endpoints.update(id, { next: next(2) })
      expect(await metadata.endpoints.get(1, 'e')).toMatchObject({
        currentVersion: 2,
        description: 'x',
        isActive: true,
      })
      expect((await metadata.endpoints.versions(id)).map(({ version, query }) => [version, query])).toEqual([
        [2, { query: 'SELECT 2' }],
        [1, { query: 'SELECT 1' }],
      ])
      expect(await metadata.endpoints.version(id, 2)).toMatchObject({ ...next(2), isActive: true })
      expect(await metadata.endpoints.version(id, 99_999_999_999)).toBeUndefined()
    })

    test('adds one version for each concurrent update', async () => {
      const { id } = (await metadata.endpoints.create(1, endpoint))!
      await Promise.all([2, 3, 4, 5].map((n) => metadata.endpoints.update(id, { next: next(n) })))
      expect((await metadata.endpoints.versions(id)).map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
    })

    test('frees the name of an endpoint when it is removed', async () => {
      const { id } = (await metadata.endpoints.create(1, endpoint))!
      expect(await metadata.endpoints.create(1, endpoint)).toBeUndefined()
      const other = (await metadata.endpoints.create(1, { ...endpoint, name: 'other' }))!
      // With a version that must be removed too.
      expect(await metadata.endpoints.update(other.id, { name: 'e', next: next(2) })).toBe('taken')
      expect(await metadata.endpoints.versions(other.id)).toHaveLength(1)
      await metadata.endpoints.remove(id)
      expect(await metadata.endpoints.create(1, endpoint)).toBeDefined()
      expect((await metadata.endpoints.list(1)).map((each) => each.name).sort()).toEqual(['e', 'other'])
    })

    test('deactivates an endpoint and a version and records the last run', async () => {
      const at = new Date().toISOString()
      const { id } = (await metadata.endpoints.create(1, endpoint))!
      await metadata.endpoints.update(id, { isActive: false })
      await metadata.endpoints.changeVersion(id, 1, { isActive: false, dataFreshnessSeconds: 3_600 })
      await metadata.endpoints.touch(id, at)
      expect(await metadata.endpoints.get(1, 'e')).toMatchObject({ isActive: false, lastExecutedAt: at })
      expect(await metadata.endpoints.version(id, 1)).toMatchObject({ isActive: false, dataFreshnessSeconds: 3_600 })
    })
  })

  describe('flags', () => {
    test('frees the key of a flag when it is removed', async () => {
      const made = (await metadata.flags.create(1, flag))!
      expect(made).toMatchObject({ ...flag, id: 1, version: 1 })
      expect(await metadata.flags.create(1, flag)).toBeUndefined()
      const other = (await metadata.flags.create(1, { ...flag, key: 'other' }))!
      expect(await metadata.flags.update(1, other.id, { key: 'f' })).toBeUndefined()
      await metadata.flags.remove(1, made.id)
      expect(await metadata.flags.update(1, other.id, { key: 'f', isActive: false })).toMatchObject({
        key: 'f',
        isActive: false,
        version: 2,
      })
      expect(await metadata.flags.list(1)).toMatchObject([{ key: 'f', id: other.id }])
      expect(await metadata.flags.list(2)).toEqual([])
    })

    test('assigns different ids to flags that are created concurrently', async () => {
      const made = await Promise.all(['a', 'b', 'c', 'd'].map((key) => metadata.flags.create(1, { ...flag, key })))
      expect(new Set(made.map((each) => each?.id)).size).toBe(4)
    })
  })

  describe('shares', () => {
    const share = {
      projectId: 1,
      definition: {
        kind: 'endpoint',
        target: 'id',
        endpoint: 'orders',
        version: 'latest',
        tiles: [],
        pins: { org: 'acme' },
        choices: { plan: ['free', 'pro'] },
      },
      origins: ['https://app.example'],
      note: 'for the board',
      password: undefined,
      ownerKey: 'key',
      expiresAt: '2999-01-01T00:00:00.000Z',
    } as const
    const limits = { max: 2, maxChars: 1_000, endedBefore: '2000-01-01T00:00:00.000Z' }

    test('are found by their token, change, and belong to one project', async () => {
      const made = (await metadata.shares.create(share, 'token', limits))!
      expect(made).toMatchObject(share)
      expect(await metadata.shares.byToken('token')).toEqual(made)
      expect(await metadata.shares.byId(made.id)).toEqual(made)
      expect([await metadata.shares.get(2, made.id), await metadata.shares.list(2)]).toEqual([undefined, []])
      const changed = (await metadata.shares.update(1, made.id, { token: 'next', password: 'hash', note: '' }))!
      expect(changed).toMatchObject({ note: '', password: 'hash', origins: share.origins })
      expect(changed.generation).not.toBe(made.generation)
      expect([await metadata.shares.byToken('token'), await metadata.shares.byToken('next')]).toEqual([
        undefined,
        changed,
      ])
      expect((await metadata.shares.update(1, made.id, { password: null }))!.password).toBeUndefined()
      expect([
        await metadata.shares.update(2, made.id, { note: 'theirs' }),
        await metadata.shares.revoke(2, made.id),
      ]).toEqual([undefined, false])
      expect(await metadata.shares.revoke(1, made.id)).toBe(true)
      expect(await metadata.shares.byId(made.id)).toMatchObject({ revokedAt: expect.any(String) })
      expect(await metadata.shares.update(1, made.id, { note: 'late' })).toBeUndefined()
      expect(await metadata.shares.revoke(1, made.id)).toBe(true)
    })

    test('are limited in number, and ended ones are deleted when they are old', async () => {
      const of3 = { ...share, projectId: 3 }
      const made = await Promise.all(['a', 'b', 'c'].map((token) => metadata.shares.create(of3, token, limits)))
      expect(made.filter(Boolean)).toHaveLength(2)
      const [first] = made.flatMap((each) => each ?? [])
      await metadata.shares.revoke(3, first!.id)
      await new Promise((resolve) => setTimeout(resolve, 2)) // so that it ended before now
      // Where there is no room, it is deleted at once.
      expect(await metadata.shares.create(of3, 'd', limits)).toMatchObject({ projectId: 3 })
      expect(await metadata.shares.byId(first!.id)).toBeUndefined()
      expect(await metadata.shares.list(3)).toHaveLength(2)
      expect(await metadata.shares.create({ ...share, projectId: 4 }, 'e', { ...limits, maxChars: 10 })).toBeUndefined()
    })
  })

  describe('dashboards', () => {
    const dashboard = { name: 'd', description: '', variables: { plan: 'pro' }, tiles: [{ id: 'a' }] }

    test('are stored, changed and removed per project', async () => {
      const made = (await metadata.dashboards.create(1, dashboard, 2))!
      expect(made).toMatchObject({ ...dashboard, version: 1 })
      expect(await metadata.dashboards.get(1, made.id)).toEqual(made)
      expect([await metadata.dashboards.get(2, made.id), await metadata.dashboards.list(2)]).toEqual([undefined, []])
      expect(await metadata.dashboards.update(1, made.id, 1, { tiles: [] })).toMatchObject({ tiles: [], version: 2 })
      expect(await metadata.dashboards.update(1, made.id, 1, { name: 'late' })).toBeUndefined()
      expect(await metadata.dashboards.update(2, made.id, 2, { name: 'theirs' })).toBeUndefined()
      expect([await metadata.dashboards.remove(2, made.id), await metadata.dashboards.remove(1, made.id)]).toEqual([
        false,
        true,
      ])
      expect(await metadata.dashboards.list(1)).toEqual([])
    })

    test('do not exceed the maximum when they are created concurrently', async () => {
      const made = await Promise.all([1, 2, 3, 4].map(() => metadata.dashboards.create(3, dashboard, 2)))
      expect(made.filter(Boolean)).toHaveLength(2)
      expect(await metadata.dashboards.list(3)).toHaveLength(2)
    })

    test('include the default once per project, also after it was removed', async () => {
      await Promise.all([1, 2, 3].map(() => metadata.dashboards.createDefault(4, dashboard)))
      const [first, ...more] = await metadata.dashboards.list(4)
      expect(more).toEqual([])
      await metadata.dashboards.remove(4, first!.id)
      await metadata.dashboards.createDefault(4, dashboard)
      expect(await metadata.dashboards.list(4)).toEqual([])
    })
  })

  test('keeps the index of a group type while others are added concurrently', async () => {
    await metadata.groupTypes.add(1, ['company'], 3)
    await Promise.all(['team', 'site', 'beyond'].map((type) => metadata.groupTypes.add(1, ['company', type], 3)))
    const types = await metadata.groupTypes.list(1)
    expect([types[0], types.length]).toEqual(['company', 3])
    expect(await metadata.groupTypes.add(1, ['one more'], 3)).toEqual(types)
    expect(await metadata.groupTypes.list(2)).toEqual([])
  })

  describe('run tokens', () => {
    test('keeps the first signing secret of a project until it is replaced', async () => {
      expect(await metadata.runTokens.secret(1)).toBeUndefined()
      expect([await metadata.runTokens.secret(1, 'one'), await metadata.runTokens.secret(1, 'two')]).toEqual([
        'one',
        'one',
      ])
      expect(new Set(await Promise.all(['a', 'b', 'c'].map((fresh) => metadata.runTokens.secret(3, fresh)))).size).toBe(
        1,
      )
      expect(await metadata.runTokens.secret(2, 'three')).toBe('three')
      await metadata.runTokens.setSecret(1, 'four')
      expect([await metadata.runTokens.secret(1, 'five'), await metadata.runTokens.secret(2)]).toEqual([
        'four',
        'three',
      ])
    })

    test('keeps a revoked token per project until it expires', async () => {
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()
      await metadata.runTokens.revoke(1, 'a', at(60_000))
      await metadata.runTokens.revoke(1, 'b', at(-1))
      expect([
        await metadata.runTokens.isRevoked(1, 'a'),
        await metadata.runTokens.isRevoked(2, 'a'),
        await metadata.runTokens.isRevoked(1, 'b'),
      ]).toEqual([true, false, true])
      await metadata.runTokens.revoke(1, 'a', at(60_000))
      expect([await metadata.runTokens.isRevoked(1, 'a'), await metadata.runTokens.isRevoked(1, 'b')]).toEqual([
        true,
        false,
      ])
    })
  })

  test('remembers how long data is kept, and what queries see follows at once', async () => {
    const { retention } = metadata
    expect([await retention.get(1), await retention.projects(), await retention.seenRows(1)]).toEqual([
      { policy: KEEPS_ALL, hidden: HIDES_NOTHING },
      [],
      {},
    ])
    const changed = await retention.change(1, (state) => ({ ...state, hidden: { ...HIDES_NOTHING, heatmaps: 5 } }))
    expect(await retention.change(1, (state) => state)).toEqual(changed)
    expect([await retention.get(1), await retention.projects()]).toEqual([changed, [1]])
    expect([await retention.seenRows(1), await retention.seenRows(2)]).toEqual([
      { heatmaps: 'timestamp >= fromUnixTimestamp64Milli(5)' },
      {},
    ])
  })

  test('remembers deletions, one process at a time works on each, and none goes back to another state', async () => {
    const { deletions } = metadata
    const target = { events: ['x'], until: '2026-01-01T00:00:00.000Z' }
    const added = await deletions.add({ projectId: 1, kind: 'events', state: 'counting', target, actor: 'key' })
    expect([await deletions.get(1, added.id), await deletions.get(2, added.id)]).toEqual([added, undefined])
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect([(await deletions.claim(soon))?.id, await deletions.claim(soon)]).toEqual([added.id, undefined])
    await deletions.renew(added.id, new Date(0).toISOString())
    expect((await deletions.claim(soon))?.id).toBe(added.id)
    expect(await deletions.targets(1)).toEqual([])
    await deletions.change(added.id, ['counting'], { state: 'deleting', result: { people: 1 } })
    expect(await deletions.change(added.id, ['counting'], { state: 'canceled' })).toBeUndefined()
    expect([(await deletions.targets(1)).map((each) => each.target), await deletions.targets(2)]).toEqual([
      [target],
      [],
    ])
    const done = await deletions.change(added.id, ['deleting'], { state: 'done', result: { deleted: { events: 2 } } })
    expect(done).toMatchObject({ endedAt: expect.any(String), result: { people: 1, deleted: { events: 2 } } })
    expect(await deletions.list(1, 10)).toEqual([done])
    await deletions.restore([done!, { ...done!, id: 'other', projectId: 2 }])
    expect((await deletions.targets()).map(({ id }) => id).sort()).toEqual([added.id, 'other'].sort())
  })

  test('remembers how far an import is', async () => {
    const { imports } = metadata
    const added = await imports.add(1, 'posthog')
    expect(added).toMatchObject({ source: 'posthog', state: 'running', position: BEGIN, error: null })
    const position = { ...BEGIN, files: ['a'], line: 2 }
    await imports.change(added.id, { position, error: 'why' })
    await imports.change(added.id, { state: 'stopped' })
    const changed = await imports.get(1, added.id)
    expect(changed).toMatchObject({ state: 'stopped', position, error: 'why', createdAt: added.createdAt })
    expect([await imports.list(1, 10), await imports.list(2, 10)]).toEqual([[changed], []])
    expect(await imports.get(2, added.id)).toBeUndefined()
    const days = { '2026-01-01 a': { read: 2, moved: 1, refused: 0 } }
    await imports.change(added.id, { days })
    expect([await imports.days(1, added.id), await imports.days(2, added.id)]).toEqual([days, {}])
  })

  test('remembers the latest erasure of an id, and whether its events were erased', async () => {
    const { erasures } = metadata
    const erased = { projectId: 1, hash: 'a', erasedAt: '2026-01-02', withEvents: false }
    await erasures.add([erased, { ...erased, hash: 'b' }])
    expect([await erasures.newest(1), await erasures.erasedAt(1, 'a')]).toEqual(['', undefined])
    await erasures.add([{ ...erased, erasedAt: '2026-01-01', withEvents: true }])
    await erasures.add([{ ...erased, erasedAt: '2026-01-03' }])
    expect([await erasures.newest(1), await erasures.erasedAt(1, 'a'), await erasures.erasedAt(1, 'b')]).toEqual([
      '2026-01-01',
      '2026-01-01',
      undefined,
    ])
    expect(await erasures.erasedAt(2, 'a')).toBeUndefined()
    expect((await erasures.all()).map(({ hash, withEvents }) => [hash, withEvents]).sort()).toEqual([
      ['a', true],
      ['b', false],
    ])
  })

  test('remembers deleted recordings of a project until their late chunks cannot arrive anymore', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const ids = Array.from({ length: 1_200 }, (_, index) => `session ${index}`)
    await metadata.deletedRecordings.add(1, [...ids, 'old'], at(60_000))
    await metadata.deletedRecordings.add(1, ['old'], at(-1))
    expect([...(await metadata.deletedRecordings.among(1, [...ids, 'other']))].sort()).toEqual([...ids].sort())
    expect((await metadata.deletedRecordings.among(2, ids)).size).toBe(0)
    expect((await metadata.deletedRecordings.among(1, ['old'])).size).toBe(1)
    await metadata.deletedRecordings.add(2, [], at(0))
    expect((await metadata.deletedRecordings.among(1, ['old'])).size).toBe(0)
  })

  test('separates surveys by project, and ends a survey with the response that reaches its limit', async () => {
    const fields = { name: 'NPS', definition: { type: 'popover' }, startDate: null, endDate: null }
    const { surveys } = metadata
    const { id } = (await surveys.create(1, fields))!
    expect(await surveys.create(1, fields)).toBeUndefined()
    const other = (await surveys.create(2, fields))!
    expect(await surveys.list(1)).toEqual([expect.objectContaining({ ...fields, id })])
    expect(await surveys.find(other.id)).toMatchObject({ projectId: 2, name: 'NPS' })
    const second = (await surveys.create(1, { ...fields, name: 'Second' }))!
    expect(await surveys.update(1, second.id, fields)).toBeUndefined()
    const startDate = '2026-01-01T00:00:00.000Z'
    expect(await surveys.update(1, id, { ...fields, startDate })).toMatchObject({ startDate, endDate: null })

    const count = (submission: string) => surveys.countResponses(1, id, [submission, submission], 2)
    expect([await count('a'), await count('a')]).toEqual([false, false])
    expect((await Promise.all(['b', 'c', 'd'].map(count))).filter(Boolean)).toEqual([true])
    expect((await surveys.find(id))!.endDate).toEqual(expect.any(String))
    expect(await surveys.countResponses(1, other.id, ['a'], 1)).toBe(false)
    await surveys.remove(1, other.id)

    // Events of 10,000 submissions fit into one delivery.
    await surveys.update(1, id, { ...fields, startDate })
    const many = Array.from({ length: 10_000 }, (_, index) => `s${index}`)
    expect(await surveys.countResponses(1, id, many, 10_005)).toBe(false)
    expect(await surveys.countResponses(1, id, [...many, 'last'], 10_005)).toBe(true)
    await surveys.remove(1, id)
    expect([await surveys.find(id), (await surveys.list(2)).length]).toEqual([undefined, 1])
  })

  describe('issues of exceptions', () => {
    const about = { type: 'TypeError', value: 'x is not a function', culprit: 'app.js' }
    const issueOf = async (fingerprint: string) => (await metadata.errorTracking.fingerprints(1)).get(fingerprint)!
    const assign = (stack: string, fingerprint: string, mapIds: readonly string[] = []) =>
      metadata.errorTracking.assign(1, { stack, fingerprint, mapIds }, about, 10_000)

    test('collect stacks by fingerprint, also when a source map changes it', async () => {
      await assign('stack 1', 'a', ['map'])
      await assign('stack 2', 'a')
      const issue = await issueOf('a')
      expect(await metadata.errorTracking.issue(1, issue)).toMatchObject({ ...about, id: issue, state: 'active' })
      expect(await metadata.errorTracking.issue(2, issue)).toBeUndefined()
      expect(await metadata.errorTracking.issues(2)).toEqual([])

      await metadata.errorTracking.markStale(1, 'map')
      const stale = (await metadata.errorTracking.stacks(1)).filter(({ isStale }) => isStale)
      expect(stale).toEqual([{ stack: 'stack 1', fingerprint: 'a', mapIds: ['map'], isStale: true }])
      await assign('stack 1', 'a mapped', ['map'])
      expect(await issueOf('a mapped')).toBe(issue)
      expect((await metadata.errorTracking.stacks(1)).filter(({ isStale }) => isStale)).toEqual([])
    })

    test('are resolved, reopened, merged and split', async () => {
      await assign('stack 3', 'b')
      await assign('stack 4', 'c')
      const [one, other] = [await issueOf('b'), await issueOf('c')]
      await metadata.errorTracking.setState(1, one, { state: 'resolved', release: '1.2.0', ignoredUntil: null })
      expect(await metadata.errorTracking.issue(1, one)).toMatchObject({ state: 'resolved', resolvedRelease: '1.2.0' })
      await metadata.errorTracking.reopen(2, one)
      expect(await metadata.errorTracking.issue(1, one)).toMatchObject({ state: 'resolved' })
      await metadata.errorTracking.reopen(1, one)
      expect(await metadata.errorTracking.issue(1, one)).toMatchObject({
        state: 'active',
        reopenedAt: expect.any(String),
      })

      await metadata.errorTracking.merge(1, one, [other])
      expect(await issueOf('c')).toBe(one)
      expect((await metadata.errorTracking.issues(1)).map(({ id }) => id)).not.toContain(other)
      const split = await metadata.errorTracking.split(1, one, ['c'])
      expect([await issueOf('b'), await issueOf('c')]).toEqual([one, split])
    })

    test('are limited: further fingerprints share one issue, until stacks without events make room', async () => {
      const store = metadata.errorTracking
      const add = (stack: string, fingerprint: string) => store.assign(3, { stack, fingerprint, mapIds: [] }, about, 3)
      expect([await add('1', 'a'), await add('2', 'b'), await add('3', 'c')]).toEqual([false, false, false])
      expect([await add('4', 'd'), await add('5', 'e'), await add('6', 'a')]).toEqual([true, true, false])
      expect(await store.countIssues(3)).toBe(4)
      const of = async (fingerprint: string) => (await store.fingerprints(3)).get(fingerprint)!
      expect(await of('d')).toBe(await of('e'))
      expect(await store.issue(3, await of('d'))).toMatchObject({ type: 'Other exceptions', state: 'active' })

      const resolved = await of('b')
      await store.setState(3, resolved, { state: 'resolved', release: '', ignoredUntil: null })
      await store.forget(3, ['1', '2', '3', '4'])
      // The stack 6 still has the fingerprint a, somebody has decided about b, and c and d are gone.
      expect([...(await store.fingerprints(3)).keys()].sort()).toEqual(['a', 'b', 'e', 'overflow'])
      expect((await store.stacks(3)).map(({ stack }) => stack).sort()).toEqual(['5', '6'])
      expect(await store.issue(3, resolved)).toMatchObject({ state: 'resolved' })
      expect(await store.countIssues(3)).toBe(3)
      expect(await add('4', 'd')).toBe(true)
      await store.forget(3, ['6'])
      expect(await add('7', 'f')).toBe(false)
      expect(await of('f')).not.toBe(await of('d'))
      // Other projects have their own.
      expect(await store.assign(4, { stack: '1', fingerprint: 'a', mapIds: [] }, about, 3)).toBe(false)
      expect(await store.countIssues(4)).toBe(1)
    })

    test('keep the first source map of an id', async () => {
      const map = { id: 'map', hash: 'h1', bytes: 10, parts: 1 }
      expect(await metadata.errorTracking.sourceMap(1, 'map')).toBeUndefined()
      expect(await metadata.errorTracking.addSourceMap(1, map)).toMatchObject(map)
      expect(await metadata.errorTracking.addSourceMap(1, { ...map, hash: 'h2' })).toMatchObject(map)
      expect(await metadata.errorTracking.sourceMap(1, 'map')).toMatchObject(map)
      expect(await metadata.errorTracking.sourceMap(2, 'map')).toBeUndefined()
    })
  })

  describe('sessions of the console', () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const createKey = async (secret: string, label = secret) =>
      (await metadata.keys.create({ projectId: 1, label, secret, scopes: ['a'] }))!.id
    const link = (secret: string, keyId: string, expiresAt = at(60_000)) =>
      metadata.console.createLink({ secret, keyId, expiresAt })

    test('keep the id of the instance and the last URL', async () => {
      const ids = (await Promise.all([1, 2, 3].map(() => metadata.console.instance()))).map(({ id }) => id)
      expect(new Set(ids).size).toBe(1)
      expect(ids[0]).toMatch(/^[0-9a-f]{8}$/)
      await metadata.console.setUrl('http://a/')
      expect(await metadata.console.instance()).toEqual({ id: ids[0], url: 'http://a/' })
    })

    test('start once per link, also when it is used concurrently', async () => {
      const id = await createKey('key')
      expect(await link('link', id)).toBe(true)
      const sessions = await Promise.all(['a', 'b', 'c'].map((secret) => metadata.console.startByLink('link', secret)))
      expect(sessions.filter(Boolean)).toMatchObject([{ key: { id, label: 'key', scopes: ['a'] } }])
      const secret = 'abc'[sessions.findIndex(Boolean)]!
      expect((await metadata.console.session(secret))?.key.id).toBe(id)
    })

    test('do not start by an expired link, or by one of a missing key', async () => {
      expect(await link('link', 'no key')).toBe(false)
      await link('expired', await createKey('key'), at(-1))
      expect(await metadata.console.startByLink('expired', 's')).toBeUndefined()
      expect(await metadata.console.startByLink('link', 's')).toBeUndefined()
      expect(await metadata.console.startByKey('no key', 's')).toBeUndefined()
      expect(await metadata.console.session('s')).toBeUndefined()
    })

    test('end with the secret of their key', async () => {
      const id = await createKey('old')
      await link('unused', id)
      await metadata.console.startByKey('old', 'of old')
      await metadata.keys.rotate(id, { secret: 'new', previousUntil: at(60_000) })
      await metadata.console.startByKey('new', 'of new')
      expect(await metadata.console.startByKey('old', 'also of old')).toMatchObject({ key: { id } })
      expect(await metadata.console.session('of old')).toMatchObject({ key: { id } })
      await metadata.keys.rotate(id, { secret: 'newer', previousUntil: undefined })
      for (const secret of ['of old', 'also of old', 'of new'])
        expect(await metadata.console.session(secret)).toBeUndefined()
      expect(await metadata.console.startByLink('unused', 's')).toBeUndefined()
      expect(await metadata.console.startByKey('old', 's')).toBeUndefined()
      await metadata.console.startByKey('newer', 'of newer')
      await metadata.keys.remove(id)
      expect(await metadata.console.session('of newer')).toBeUndefined()
    })

    test('are recorded as used, ended, and deleted when they expire', async () => {
      await createKey('key')
      for (const secret of ['idle', 'used', 'ended']) await metadata.console.startByKey('key', secret)
      const usedAt = at(60_000)
      await metadata.console.touch('used', usedAt)
      expect(await metadata.console.session('used')).toMatchObject({ usedAt })
      await metadata.console.end('ended')
      expect(await metadata.console.session('ended')).toBeUndefined()
      await metadata.console.deleteExpired({ usedBefore: at(30_000), createdBefore: at(-60_000) })
      expect(await metadata.console.session('idle')).toBeUndefined()
      expect(await metadata.console.session('used')).toMatchObject({ usedAt })
      await metadata.console.deleteExpired({ usedBefore: at(0), createdBefore: at(1_000) })
      expect(await metadata.console.session('used')).toBeUndefined()
    })
  })

  describe('sessions of the toolbar', () => {
    const SITE = 'https://shop.example'
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const start = (code: string, secret: string, more: object = {}) => ({
      code,
      secret,
      projectId: 7,
      origin: SITE,
      isSameOrigin: true,
      at: at(0),
      ...more,
    })
    const createKey = async (secret: string) =>
      (await metadata.keys.create({ projectId: undefined, label: secret, secret, scopes: ['a'] }))!.id
    const code = (secret: string, keyId: string, expiresAt = at(60_000)) =>
      metadata.toolbar.createCode({ code: secret, keyId, projectId: 7, origin: SITE, expiresAt })

    test('start once per code, on its site and in its project', async () => {
      const id = await createKey('key')
      expect([await code('code', id), await code('other', 'no key')]).toEqual([true, false])
      for (const more of [{ projectId: 8 }, { origin: 'https://evil.example' }, { at: at(61_000) }])
        expect(await metadata.toolbar.start(start('code', 's', more))).toBeUndefined()
      const sessions = await Promise.all(['a', 'b', 'c'].map((secret) => metadata.toolbar.start(start('code', secret))))
      expect(sessions.filter(Boolean)).toMatchObject([
        { key: { id }, projectId: 7, origin: SITE, isSameOrigin: true, usedAt: undefined },
      ])
    })

    test('are replaced once, unless they were used', async () => {
      const id = await createKey('key')
      for (const secret of ['replaced', 'used']) {
        await code(secret, id)
        await metadata.toolbar.start(start(secret, secret))
      }
      expect(await metadata.toolbar.touch('used', at(0))).toBe(true)
      expect(await metadata.toolbar.restart(start('used', 's'))).toBeUndefined()
      expect(await metadata.toolbar.restart(start('replaced', 'next'))).toMatchObject({ key: { id } })
      expect(await metadata.toolbar.touch('replaced', at(0))).toBe(false)
      expect(await metadata.toolbar.session('replaced')).toBeUndefined()
      expect(await metadata.toolbar.restart(start('replaced', 's'))).toBeUndefined()
      expect(await metadata.toolbar.session('next')).toMatchObject({ projectId: 7 })
    })

    test('end with the secret of their key, or when they are ended or expire', async () => {
      const id = await createKey('key')
      for (const secret of ['ended', 'unused', 'used', 'of key']) {
        await code(secret, id)
        await metadata.toolbar.start(start(secret, secret))
      }
      await metadata.toolbar.end('ended')
      expect(await metadata.toolbar.session('ended')).toBeUndefined()
      const usedAt = at(60_000)
      for (const secret of ['used', 'of key']) await metadata.toolbar.touch(secret, usedAt)
      await metadata.toolbar.deleteExpired({ at: at(0), usedBefore: at(30_000), createdBefore: at(-60_000) })
      expect(await metadata.toolbar.session('unused')).toBeUndefined()
      expect(await metadata.toolbar.session('used')).toMatchObject({ usedAt })
      await metadata.keys.remove(id)
      expect(await metadata.toolbar.session('of key')).toBeUndefined()
    })
  })

  describe('materializations', () => {
    const create = async () => {
      const { id } = (await metadata.endpoints.create(7, {
        name: 'sales',
        description: '',
        isActive: true,
        query: {},
        columns: undefined,
        dataFreshnessSeconds: 900,
      }))!
      const version = (await metadata.endpoints.version(id, 1))!
      return { id, version, state: async () => (await metadata.endpoints.version(id, 1))!.materialization }
    }

    test('are returned with their version until removed', async () => {
      const { id, version, state } = await create()
      expect([
        await state(),
        await metadata.materializations.all(),
        await metadata.materializations.change(version.id, () => 'none'),
      ]).toEqual([undefined, [], undefined])
      await metadata.materializations.add({ projectId: 7, endpointId: id, version }, { count: 0 })
      await metadata.materializations.add({ projectId: 7, endpointId: id, version }, 'another')
      expect(await state()).toEqual({ count: 0 })
      expect((await metadata.endpoints.versions(id)).map(({ materialization }) => materialization)).toEqual([
        { count: 0 },
      ])
      expect(await metadata.materializations.all()).toEqual([
        { projectId: 7, endpointId: id, version: { ...version, materialization: { count: 0 } } },
      ])
      await metadata.materializations.remove(version.id)
      expect([await state(), await metadata.materializations.all()]).toEqual([undefined, []])
    })

    test('applies concurrent changes one at a time', async () => {
      const { id, version, state } = await create()
      await metadata.materializations.add({ projectId: 7, endpointId: id, version }, { count: 0 })
      const next = (before: unknown) => ({ count: (before as { count: number }).count + 1 })
      const seen = await Promise.all(
        Array.from({ length: 5 }, () => metadata.materializations.change(version.id, next)),
      )
      expect([seen.map((each) => (each as { count: number }).count).sort(), await state()]).toEqual([
        [1, 2, 3, 4, 5],
        { count: 5 },
      ])
    })

    test('omits versions of deleted endpoints', async () => {
      const { id, version } = await create()
      await metadata.materializations.add({ projectId: 7, endpointId: id, version }, {})
      await metadata.endpoints.remove(id)
      expect(await metadata.materializations.all()).toEqual([])
    })
  })

  test('stores settings per project and keeps the last value', async () => {
    await metadata.settings.set(1, 'remote_config', { surveys: true })
    await metadata.settings.set(1, 'remote_config', { surveys: false })
    expect([await metadata.settings.get(1, 'remote_config'), await metadata.settings.get(2, 'remote_config')]).toEqual([
      { surveys: false },
      undefined,
    ])
  })

  test('counts concurrent advances of an epoch, which is odd between its begin and its end', async () => {
    await Promise.all([2, 4, 6].map((step) => metadata.epochs.advance(1, step)))
    await metadata.epochs.begin(2)
    await metadata.epochs.end(3)
    const all = () => Promise.all([1, 2, 3, 4].map((id) => metadata.epochs.of(id)))
    expect(await all()).toEqual([12, 1, 2, 0])
    // A process began and crashed.
    await metadata.epochs.begin(2)
    expect(await all()).toEqual([12, 3, 2, 0])
    for (const id of [1, 2, 2]) await metadata.epochs.end(id)
    expect(await all()).toEqual([14, 6, 2, 0])
  })

  test('replaces characters that cannot be stored', async () => {
    expect(await metadata.projects.byToken('\u0000')).toBeUndefined()
    expect(await metadata.endpoints.create(1, { ...endpoint, description: 'before \u0000 after \ud800' })).toBeDefined()
    expect((await metadata.endpoints.get(1, 'e'))!.description).toMatch(/^before /)
  })

  test('reports readiness and runs work under a lock', async () => {
    expect(await metadata.ready(60_000)).toBe(true)
    expect(await metadata.withLock('start', async () => 'done')).toBe('done')
    await expect(metadata.withLock('start', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  test('rejects opening a store that a newer release wrote', async () => {
    await metadata.close()
    at = await store.place()
    await (await openMetadata(at)).close()
    if (name === 'Postgres') await postgres.ask(at, 'INSERT INTO steps VALUES (1000)')
    else
      await (
        await import('@libsql/client')
      )
        .createClient({ url: `file:${at}` })
        .execute('INSERT INTO steps VALUES (1000)')
    await expect(openMetadata(at)).rejects.toThrow(
      `the metadata was written by a newer release of Trailmark: use that release, or another ${name === 'Postgres' ? 'database' : 'data folder'}.`,
    )
  })

  // Last: checks which methods the tests above called.
  test('calls every method of the store in these tests', async () => {
    await metadata.close()
    expect(
      methodsOf(await openStores(at).then(async (all) => (await all.close(), all))).filter((each) => !called.has(each)),
    ).toEqual([])
  })
})

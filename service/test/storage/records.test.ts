import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openRecords, type Records, TokenTaken } from '../../src/storage/records.ts'
import { pause } from '../../src/lib/wait.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/startService.ts'

jest.setTimeout(30_000)

let postgres: PostgresServer
let folder: string
let places = 0

beforeAll(async () => {
  postgres = await startPostgres()
  folder = temporaryFolder()
}, 60_000)
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

const STORES: Readonly<Record<string, { place(): Promise<string>; textOf(place: string): Promise<string> }>> = {
  SQLite: {
    place: async () => join(folder, `definitions ${(places += 1)}.db`),
    textOf: async (file) => ['', '-wal'].map((end) => readFileSync(`${file}${end}`, 'latin1')).join(''),
  },
  Postgres: {
    // A schema of one database is made sooner than a database.
    async place() {
      const schema = `definitions_${(places += 1)}`
      await postgres.ask(postgres.urlOf('postgres'), `CREATE SCHEMA ${schema}`)
      return `${postgres.urlOf('postgres')}?options=-csearch_path%3D${schema}`
    },
    textOf: async (url) => JSON.stringify(await postgres.ask(url, 'SELECT * FROM api_keys')),
  },
}

/** The paths of all functions in `value`. */
const methodsOf = (value: object, path = ''): string[] =>
  Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'function'
      ? [path + name]
      : typeof each === 'object' && each
        ? methodsOf(each, `${path}${name}.`)
        : [],
  )

/** The same records, noting in `called` what is called. */
const noting = <Value extends object>(value: Value, called: Set<string>, path = ''): Value =>
  new Proxy(value, {
    get(target, name: string) {
      const each = target[name as keyof Value] as unknown
      if (typeof each === 'object' && each) return noting(each, called, `${path}${name}.`)
      if (typeof each === 'function') called.add(path + name)
      return each
    },
  })

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
  const { place, textOf } = STORES[name]!
  const called = new Set<string>()
  let at: string
  let records: Records

  const open = async () => noting(await openRecords(at), called)
  beforeEach(async () => {
    at = await place()
    records = await open()
  })
  afterEach(() => records.close())

  test('what was written is there after opening again', async () => {
    const project = await records.projects.create({ name: 'p', token: 't' })
    await records.variables.create(project.id, variable)
    await records.close()
    records = await open()
    expect(await records.projects.byToken('t')).toEqual(project)
    expect(await records.variables.list(project.id)).toMatchObject([{ codeName: 'plan' }])
  })

  // Several processes may do so with SQLite too; within one, its driver waits without letting the others go on.
  const whereShared = name === 'Postgres' ? test : test.skip
  whereShared('of several that open an empty one at the same time, each finds it whole', async () => {
    await records.close()
    at = await place()
    const others = await Promise.all([1, 2, 3].map(() => openRecords(at)))
    for (const [index, other] of others.entries()) await other.projects.create({ name: 'p', token: `t${index}` })
    records = await open()
    expect((await records.projects.all()).map(({ id }) => id)).toEqual([1, 2, 3])
    for (const other of others) await other.close()
  })

  test('what another process changes, such as a command, is seen at once', async () => {
    const project = await records.projects.create({ name: 'p', token: 't' })
    await records.keys.put({ projectId: project.id, label: 'k', secret: 'secret', scopes: [] })
    const made = (await records.endpoints.create(project.id, endpoint))!
    const reads = () =>
      Promise.all([
        records.projects.byToken('t').then((found) => found?.name),
        records.projects.byId(project.id).then((found) => found?.name),
        records.keys.bySecret('secret').then((found) => found?.label),
        records.variables.list(project.id).then((found) => found.length),
        records.endpoints.get(project.id, 'e').then((found) => found?.description),
        records.endpoints.version(made.id, 1).then((found) => found?.isActive),
        records.endpoints.version(made.id, 2).then((found) => found?.version),
      ])
    const before = ['p', 'p', 'k', 0, '', true, undefined]
    expect([await reads(), await reads()]).toEqual([before, before])
    const other = await openRecords(at)
    await other.projects.change(project.id, { name: 'q' })
    await other.keys.remove('k')
    await other.variables.create(project.id, variable)
    await other.endpoints.update(made.id, { description: 'new', next: next(2) })
    await other.endpoints.changeVersion(made.id, 1, { isActive: false })
    expect(await reads()).toEqual(['q', 'q', undefined, 1, 'new', false, 2])
    await other.close()
  })

  test('a secret and a token of before are taken until their time, and no longer, however often they are asked for', async () => {
    const { id } = await records.projects.create({ name: 'p', token: 'old token' })
    const key = (await records.keys.create({ projectId: id, label: 'k', secret: 'old secret', scopes: [] }))!
    const until = new Date(Date.now() + 400).toISOString()
    await records.projects.setToken(id, 'new token', until)
    await records.keys.rotate(key.id, { secret: 'new secret', previousUntil: until })
    const found = async () =>
      [
        await records.projects.byToken('old token'),
        await records.projects.byToken('new token'),
        await records.keys.bySecret('old secret'),
        await records.keys.bySecret('new secret'),
      ].map((each) => each !== undefined)
    expect([await found(), await found()]).toEqual([
      [true, true, true, true],
      [true, true, true, true],
    ])
    await pause(450)
    expect(await found()).toEqual([false, true, false, true])
    expect((await records.keys.bySecret('new secret'))!.previousUntil).toBeUndefined()
  })

  describe('projects', () => {
    test('are numbered in the order in which they were made, also at the same time', async () => {
      const made = await Promise.all(
        ['a', 'b', 'c'].map((token) => records.projects.create({ name: token, token, timezone: 'Asia/Tokyo' })),
      )
      expect(made.map(({ id }) => id).sort()).toEqual([1, 2, 3])
      expect(await records.projects.all()).toEqual(made.sort((a, b) => a.id - b.id))
    })

    test('two never have the same token', async () => {
      await records.projects.create({ name: 'p', token: 't' })
      await expect(records.projects.create({ name: 'q', token: 't' })).rejects.toThrow(TokenTaken)
    })

    test('a project is in UTC until it is given another time zone', async () => {
      const { id, timezone } = await records.projects.create({ name: 'p', token: 't' })
      await records.projects.change(id, { timezone: 'Europe/Berlin' })
      await records.projects.change(id, {})
      expect([timezone, (await records.projects.byId(id))!.timezone]).toEqual(['UTC', 'Europe/Berlin'])
      expect(await records.projects.byId(2)).toBeUndefined()
    })
  })

  describe('keys', () => {
    test('a key is found by its secret, which is stored nowhere', async () => {
      await records.keys.put({ projectId: 1, label: 'k', secret: 'a-secret-of-mine', scopes: ['endpoint:read'] })
      expect(await records.keys.bySecret('a-secret-of-mine')).toMatchObject({ projectId: 1, scopes: ['endpoint:read'] })
      expect(await records.keys.bySecret('another')).toBeUndefined()
      expect(await textOf(at)).not.toContain('a-secret-of-mine')
    })

    test('a key that is put again loses its old secret, or gets the scopes', async () => {
      await records.keys.put({ projectId: 1, label: 'k', secret: 'old', scopes: [] })
      await records.keys.put({ projectId: 1, label: 'k', secret: 'new', scopes: [] })
      await records.keys.put({ projectId: 1, label: 'k', secret: 'new', scopes: ['metrics:read'] })
      expect(await records.keys.bySecret('old')).toBeUndefined()
      expect(await records.keys.bySecret('new')).toMatchObject({ scopes: ['metrics:read'] })
    })

    test('a label is unique within a project, and among the keys of all projects', async () => {
      const key = (projectId: number | undefined, secret: string) =>
        records.keys.create({ projectId, label: 'k', secret, scopes: [] })
      const made = [await key(1, 'a'), await key(2, 'b'), await key(undefined, 'c')]
      expect([await key(1, 'd'), await key(undefined, 'e')]).toEqual([undefined, undefined])
      expect((await records.keys.list()).map(({ projectId }) => projectId)).toEqual(
        expect.arrayContaining([1, 2, undefined]),
      )
      expect(await records.keys.get(made[2]!.id)).toEqual(made[2])
      expect(made[2]!.projectId).toBeUndefined()
    })

    test('of keys with one label that are made at the same time there is one', async () => {
      const made = await Promise.all(
        [1, 2, 3, 4].map((n) => records.keys.create({ projectId: 1, label: 'k', secret: `s${n}`, scopes: [] })),
      )
      expect(made.filter(Boolean)).toHaveLength(1)
      expect(await records.keys.list()).toHaveLength(1)
    })

    test('a key tells when it was used, and is gone when it is removed, by its id or its label', async () => {
      const at = new Date().toISOString()
      const [one, other] = [
        (await records.keys.create({ projectId: 1, label: 'one', secret: '1', scopes: [] }))!,
        (await records.keys.create({ projectId: 1, label: 'other', secret: '2', scopes: [] }))!,
      ]
      await records.keys.touch(one.id, at)
      expect(await records.keys.get(one.id)).toEqual({ ...one, lastUsedAt: at })
      await records.keys.remove(one.id)
      await records.keys.remove(other.label)
      expect(await records.keys.list()).toEqual([])
    })

    test('a former secret and a former token are taken until their time is over, and no longer', async () => {
      const soon = () => new Date(Date.now() + 60_000).toISOString()
      const ago = new Date(Date.now() - 1_000).toISOString()
      const { id } = await records.projects.create({ name: 'p', token: 'old token' })
      const key = (await records.keys.create({ projectId: id, label: 'k', secret: 'old secret', scopes: [] }))!
      await records.projects.setToken(id, 'new token', soon())
      await records.keys.rotate(key.id, { secret: 'new secret', previousUntil: soon() })
      expect(await records.projects.byToken('old token')).toMatchObject({ id, token: 'new token' })
      expect(await records.keys.bySecret('old secret')).toMatchObject({ id: key.id })
      await records.projects.setToken(id, 'newer token', ago)
      await records.keys.rotate(key.id, { secret: 'newer secret', previousUntil: ago })
      expect(
        await Promise.all(
          ['old token', 'new token', 'newer token'].map(async (token) => (await records.projects.byToken(token))?.id),
        ),
      ).toEqual([undefined, undefined, id])
      expect(
        await Promise.all(
          ['old secret', 'new secret', 'newer secret'].map(async (secret) => (await records.keys.bySecret(secret))?.id),
        ),
      ).toEqual([undefined, undefined, key.id])
      expect(await records.projects.byToken('newer token')).toMatchObject({ previousTokenUntil: undefined })
    })
  })

  describe('variables', () => {
    test('a code name is unique within its project only', async () => {
      expect(await records.variables.create(1, variable)).toBeDefined()
      expect(await records.variables.create(1, variable)).toBeUndefined()
      expect(await records.variables.create(2, variable)).toBeDefined()
    })

    test('a variable keeps what it is given, changes, and is gone when it is removed', async () => {
      const given = {
        ...variable,
        name: 'Länge “\\"” 𝕏',
        defaultValue: { deep: [1.5, null, 'ü\u0000'] },
        values: ['a', 'b'],
        schema: { type: 'integer', minimum: -9007199254740991 } as const,
      }
      const made = (await records.variables.create(1, given))!
      expect(made).toMatchObject(given)
      expect(await records.variables.get(1, made.id)).toEqual(made)
      expect(await records.variables.update(1, made.id, { defaultValue: false, schema: null })).toEqual({
        ...made,
        defaultValue: false,
        schema: undefined,
      })
      expect(await records.variables.update(1, made.id, {})).toMatchObject({ defaultValue: false })
      expect([await records.variables.remove(1, made.id), await records.variables.remove(1, made.id)]).toEqual([
        true,
        false,
      ])
    })

    test('a project does not see the variables and endpoints of another', async () => {
      const { id } = (await records.variables.create(1, variable))!
      await records.endpoints.create(1, endpoint)
      expect(await records.variables.get(2, id)).toBeUndefined()
      expect(await records.variables.remove(2, id)).toBe(false)
      expect(await records.endpoints.get(2, 'e')).toBeUndefined()
    })
  })

  describe('endpoints', () => {
    test('a changed query is the next version and the earlier one stays', async () => {
      const { id } = (await records.endpoints.create(1, endpoint))!
      expect(await records.endpoints.update(id, { description: 'x' })).toBe('done')
      await records.endpoints.update(id, { next: next(2) })
      expect(await records.endpoints.get(1, 'e')).toMatchObject({ currentVersion: 2, description: 'x', isActive: true })
      expect((await records.endpoints.versions(id)).map(({ version, query }) => [version, query])).toEqual([
        [2, { query: 'SELECT 2' }],
        [1, { query: 'SELECT 1' }],
      ])
      expect(await records.endpoints.version(id, 2)).toMatchObject({ ...next(2), isActive: true })
      expect(await records.endpoints.version(id, 99_999_999_999)).toBeUndefined()
    })

    test('updates at the same time make one version each', async () => {
      const { id } = (await records.endpoints.create(1, endpoint))!
      await Promise.all([2, 3, 4, 5].map((n) => records.endpoints.update(id, { next: next(n) })))
      expect((await records.endpoints.versions(id)).map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
    })

    test('a name is that of one endpoint, until it is removed', async () => {
      const { id } = (await records.endpoints.create(1, endpoint))!
      expect(await records.endpoints.create(1, endpoint)).toBeUndefined()
      const other = (await records.endpoints.create(1, { ...endpoint, name: 'other' }))!
      // With a version that must not stay behind.
      expect(await records.endpoints.update(other.id, { name: 'e', next: next(2) })).toBe('taken')
      expect(await records.endpoints.versions(other.id)).toHaveLength(1)
      await records.endpoints.remove(id)
      expect(await records.endpoints.create(1, endpoint)).toBeDefined()
      expect((await records.endpoints.list(1)).map((each) => each.name).sort()).toEqual(['e', 'other'])
    })

    test('an endpoint and a version are turned off, and tell when they were run', async () => {
      const at = new Date().toISOString()
      const { id } = (await records.endpoints.create(1, endpoint))!
      await records.endpoints.update(id, { isActive: false })
      await records.endpoints.changeVersion(id, 1, { isActive: false, dataFreshnessSeconds: 3_600 })
      await records.endpoints.touch(id, at)
      expect(await records.endpoints.get(1, 'e')).toMatchObject({ isActive: false, lastExecutedAt: at })
      expect(await records.endpoints.version(id, 1)).toMatchObject({ isActive: false, dataFreshnessSeconds: 3_600 })
    })
  })

  describe('flags', () => {
    test('a key is that of one flag, until it is removed', async () => {
      const made = (await records.flags.create(1, flag))!
      expect(made).toMatchObject({ ...flag, id: 1, version: 1 })
      expect(await records.flags.create(1, flag)).toBeUndefined()
      const other = (await records.flags.create(1, { ...flag, key: 'other' }))!
      expect(await records.flags.update(1, other.id, { key: 'f' })).toBeUndefined()
      await records.flags.remove(1, made.id)
      expect(await records.flags.update(1, other.id, { key: 'f', isActive: false })).toMatchObject({
        key: 'f',
        isActive: false,
        version: 2,
      })
      expect(await records.flags.list(1)).toMatchObject([{ key: 'f', id: other.id }])
      expect(await records.flags.list(2)).toEqual([])
    })

    test('flags that are made at the same time have ids of their own', async () => {
      const made = await Promise.all(['a', 'b', 'c', 'd'].map((key) => records.flags.create(1, { ...flag, key })))
      expect(new Set(made.map((each) => each?.id)).size).toBe(4)
    })
  })

  test('a type of groups keeps its place, whoever adds others at the same time', async () => {
    await records.groupTypes.add(1, ['company'], 3)
    await Promise.all(['team', 'site', 'beyond'].map((type) => records.groupTypes.add(1, ['company', type], 3)))
    const types = await records.groupTypes.list(1)
    expect([types[0], types.length]).toEqual(['company', 3])
    expect(await records.groupTypes.add(1, ['one more'], 3)).toEqual(types)
    expect(await records.groupTypes.list(2)).toEqual([])
  })

  describe('run tokens', () => {
    test('each project keeps the first secret that it is given, until it gets another', async () => {
      expect(await records.runTokens.secret(1)).toBeUndefined()
      expect([await records.runTokens.secret(1, 'one'), await records.runTokens.secret(1, 'two')]).toEqual([
        'one',
        'one',
      ])
      expect(new Set(await Promise.all(['a', 'b', 'c'].map((fresh) => records.runTokens.secret(3, fresh)))).size).toBe(
        1,
      )
      expect(await records.runTokens.secret(2, 'three')).toBe('three')
      await records.runTokens.setSecret(1, 'four')
      expect([await records.runTokens.secret(1, 'five'), await records.runTokens.secret(2)]).toEqual(['four', 'three'])
    })

    test('a revoked one is remembered in its project, and forgotten when it has expired', async () => {
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()
      await records.runTokens.revoke(1, 'a', at(60_000))
      await records.runTokens.revoke(1, 'b', at(-1))
      expect([
        await records.runTokens.isRevoked(1, 'a'),
        await records.runTokens.isRevoked(2, 'a'),
        await records.runTokens.isRevoked(1, 'b'),
      ]).toEqual([true, false, true])
      await records.runTokens.revoke(1, 'a', at(60_000))
      expect([await records.runTokens.isRevoked(1, 'a'), await records.runTokens.isRevoked(1, 'b')]).toEqual([
        true,
        false,
      ])
    })
  })

  describe('what is materialized', () => {
    const create = async () => {
      const { id } = (await records.endpoints.create(7, {
        name: 'sales',
        description: '',
        isActive: true,
        query: {},
        columns: undefined,
        dataFreshnessSeconds: 900,
      }))!
      const version = (await records.endpoints.version(id, 1))!
      return { id, version, state: async () => (await records.endpoints.version(id, 1))!.materialization }
    }

    test('stands beside its version, until it is removed', async () => {
      const { id, version, state } = await create()
      expect([
        await state(),
        await records.materializations.all(),
        await records.materializations.change(version.id, () => 'none'),
      ]).toEqual([undefined, [], undefined])
      await records.materializations.add({ projectId: 7, endpointId: id, version }, { count: 0 })
      await records.materializations.add({ projectId: 7, endpointId: id, version }, 'another')
      expect(await state()).toEqual({ count: 0 })
      expect((await records.endpoints.versions(id)).map(({ materialization }) => materialization)).toEqual([
        { count: 0 },
      ])
      expect(await records.materializations.all()).toEqual([
        { projectId: 7, endpointId: id, version: { ...version, materialization: { count: 0 } } },
      ])
      await records.materializations.remove(version.id)
      expect([await state(), await records.materializations.all()]).toEqual([undefined, []])
    })

    test('is changed by one after another', async () => {
      const { id, version, state } = await create()
      await records.materializations.add({ projectId: 7, endpointId: id, version }, { count: 0 })
      const next = (before: unknown) => ({ count: (before as { count: number }).count + 1 })
      const seen = await Promise.all(Array.from({ length: 5 }, () => records.materializations.change(version.id, next)))
      expect([seen.map((each) => (each as { count: number }).count).sort(), await state()]).toEqual([
        [1, 2, 3, 4, 5],
        { count: 5 },
      ])
    })

    test('is not told of endpoints that are deleted', async () => {
      const { id, version } = await create()
      await records.materializations.add({ projectId: 7, endpointId: id, version }, {})
      await records.endpoints.remove(id)
      expect(await records.materializations.all()).toEqual([])
    })
  })

  test('a setting is of one project, and the last one holds', async () => {
    await records.settings.set(1, 'remote_config', { surveys: true })
    await records.settings.set(1, 'remote_config', { surveys: false })
    expect([await records.settings.get(1, 'remote_config'), await records.settings.get(2, 'remote_config')]).toEqual([
      { surveys: false },
      undefined,
    ])
  })

  test('an epoch counts what happened to a project, also at the same time', async () => {
    await Promise.all([1, 2, 3].map(() => records.epochs.advance(1)))
    await records.epochs.advance(2)
    expect(await Promise.all([1, 2, 3].map((id) => records.epochs.of(id)))).toEqual([3, 1, 0])
  })

  test('a character that cannot be kept harms nothing', async () => {
    expect(await records.projects.byToken('\u0000')).toBeUndefined()
    expect(await records.endpoints.create(1, { ...endpoint, description: 'before \u0000 after \ud800' })).toBeDefined()
    expect((await records.endpoints.get(1, 'e'))!.description).toMatch(/^before /)
  })

  test('it answers, and does what is asked for alone', async () => {
    expect(await records.ready(10_000)).toBe(true)
    expect(await records.alone('start', async () => 'done')).toBe('done')
    await expect(records.alone('start', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  test('what a newer release wrote is not touched', async () => {
    await records.close()
    if (name === 'Postgres') await postgres.ask(at, 'INSERT INTO steps VALUES (1000)')
    else
      await (
        await import('@libsql/client')
      )
        .createClient({ url: `file:${at}` })
        .execute('INSERT INTO steps VALUES (1000)')
    await expect(openRecords(at)).rejects.toThrow(
      `the definitions were written by a newer release of Trailmark: use that release, or a ${name === 'Postgres' ? 'database' : 'data folder'} of its own.`,
    )
  })

  // Last: what the others have called.
  test('no method is left untested', async () => {
    await records.close()
    expect(
      methodsOf(await openRecords(at).then(async (all) => (await all.close(), all))).filter(
        (each) => !called.has(each),
      ),
    ).toEqual([])
  })
})

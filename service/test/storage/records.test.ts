import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openRecords, type Records } from '../../src/storage/records.ts'
import { temporaryFolder } from '../support/startService.ts'

let folder: string
let records: Records

beforeEach(async () => {
  folder = temporaryFolder()
  records = await openRecords(join(folder, 'definitions.db'))
})
afterEach(async () => {
  await records.close()
  rmSync(folder, { recursive: true })
})

const variable = { name: 'Plan', codeName: 'plan', type: 'String', defaultValue: null, values: [], schema: undefined }
const endpoint = { name: 'e', description: '', isActive: true, query: { query: 'SELECT 1' }, columns: undefined, dataFreshnessSeconds: 900 }
const next = (n: number) => ({ query: { query: `SELECT ${n}` }, columns: [{ name: 'n', type: 'integer' }], dataFreshnessSeconds: 1800 })

test('what was written is there after opening again', async () => {
  const project = await records.projects.create({ name: 'p', token: 't' })
  await records.variables.create(project.id, variable)
  await records.close()
  records = await openRecords(join(folder, 'definitions.db'))
  expect(await records.projects.byToken('t')).toEqual(project)
  expect(await records.variables.list(project.id)).toMatchObject([{ codeName: 'plan' }])
})

test('a project is in UTC until it is given another time zone', async () => {
  const { id, timezone } = await records.projects.create({ name: 'p', token: 't' })
  await records.projects.change(id, { timezone: 'Europe/Berlin' })
  expect([timezone, (await records.projects.byId(id))!.timezone]).toEqual(['UTC', 'Europe/Berlin'])
})

test('a key is found by its secret, which is stored nowhere', async () => {
  await records.keys.put({ projectId: 1, label: 'k', secret: 'a-secret-of-mine', scopes: ['endpoint:read'] })
  expect(await records.keys.bySecret('a-secret-of-mine')).toMatchObject({ projectId: 1, scopes: ['endpoint:read'] })
  expect(await records.keys.bySecret('another')).toBeUndefined()
  const bytes = ['', '-wal'].map((end) => readFileSync(join(folder, `definitions.db${end}`), 'latin1')).join('')
  expect(bytes).not.toContain('a-secret-of-mine')
})

test('a key that is put again loses its old secret', async () => {
  await records.keys.put({ projectId: 1, label: 'k', secret: 'old', scopes: [] })
  await records.keys.put({ projectId: 1, label: 'k', secret: 'new', scopes: [] })
  expect(await records.keys.bySecret('old')).toBeUndefined()
  expect(await records.keys.bySecret('new')).toBeDefined()
})

test('a code name is unique within its project only', async () => {
  expect(await records.variables.create(1, variable)).toBeDefined()
  expect(await records.variables.create(1, variable)).toBeUndefined()
  expect(await records.variables.create(2, variable)).toBeDefined()
})

test('a project does not see the variables and endpoints of another', async () => {
  const { id } = (await records.variables.create(1, variable))!
  await records.endpoints.create(1, endpoint)
  expect(await records.variables.get(2, id)).toBeUndefined()
  expect(await records.variables.remove(2, id)).toBe(false)
  expect(await records.endpoints.get(2, 'e')).toBeUndefined()
})

test('a changed query is the next version and the earlier one stays', async () => {
  const { id } = (await records.endpoints.create(1, endpoint))!
  await records.endpoints.update(id, { description: 'x' })
  await records.endpoints.update(id, { next: next(2) })
  expect(await records.endpoints.get(1, 'e')).toMatchObject({ currentVersion: 2, description: 'x' })
  expect((await records.endpoints.versions(id)).map(({ version, query }) => [version, query])).toEqual([
    [2, { query: 'SELECT 2' }],
    [1, { query: 'SELECT 1' }],
  ])
})

test('updates at the same time make one version each', async () => {
  const { id } = (await records.endpoints.create(1, endpoint))!
  await Promise.all([2, 3, 4, 5].map((n) => records.endpoints.update(id, { next: next(n) })))
  expect((await records.endpoints.versions(id)).map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
})

test('the name of a removed endpoint is free again', async () => {
  const { id } = (await records.endpoints.create(1, endpoint))!
  expect(await records.endpoints.create(1, endpoint)).toBeUndefined()
  await records.endpoints.remove(id)
  expect(await records.endpoints.create(1, endpoint)).toBeDefined()
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
  expect(await Promise.all(['old token', 'new token', 'newer token'].map(async (token) => (await records.projects.byToken(token))?.id))).toEqual([undefined, undefined, id])
  expect(await Promise.all(['old secret', 'new secret', 'newer secret'].map(async (secret) => (await records.keys.bySecret(secret))?.id))).toEqual([undefined, undefined, key.id])
  expect(await records.projects.byToken('newer token')).toMatchObject({ previousTokenUntil: undefined })
})

describe('run tokens', () => {
  test('each project keeps the first secret that it is given, until it gets another', async () => {
    expect(await records.runTokens.secret(1)).toBeUndefined()
    expect(await Promise.all([records.runTokens.secret(1, 'one'), records.runTokens.secret(1, 'two')])).toEqual(['one', 'one'])
    expect(await records.runTokens.secret(2, 'three')).toBe('three')
    await records.runTokens.setSecret(1, 'four')
    expect([await records.runTokens.secret(1, 'five'), await records.runTokens.secret(2)]).toEqual(['four', 'three'])
  })

  test('a revoked one is remembered in its project, and forgotten when it has expired', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    await records.runTokens.revoke(1, 'a', at(60_000))
    await records.runTokens.revoke(1, 'b', at(-1))
    expect([await records.runTokens.isRevoked(1, 'a'), await records.runTokens.isRevoked(2, 'a'), await records.runTokens.isRevoked(1, 'b')]).toEqual([true, false, true])
    await records.runTokens.revoke(1, 'a', at(60_000))
    expect([await records.runTokens.isRevoked(1, 'a'), await records.runTokens.isRevoked(1, 'b')]).toEqual([true, false])
  })
})

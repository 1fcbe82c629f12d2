import { createClient } from '@libsql/client/sqlite3'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiKey, Metadata, Project } from '../../src/storage/metadata/metadata.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { createToolbarSessions, MAX_REQUESTS_PER_MINUTE, type ToolbarSessions } from '../../src/toolbar/sessions.ts'
import { createToolbarStore } from '../../src/toolbar/store.ts'
import { temporaryFolder } from '../support/startService.ts'

const SHOP = 'https://shop.example'
const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

const folder = temporaryFolder()
let metadata: Metadata
let project: Project
let key: ApiKey
let sessions: ToolbarSessions
/** Time of the clock, ms since the epoch. */
let time = START
let clients = 0

beforeEach(async () => {
  time = START
  clients = 0
  metadata = await openMetadata(join(folder, `${expect.getState().currentTestName}.db`))
  const { id } = await metadata.projects.create({ name: 'Shop', token: 'tm_shop' })
  await metadata.projects.change(id, { toolbarOrigins: [SHOP] })
  project = (await metadata.projects.byId(id))!
  key = (await metadata.keys.create({ projectId: id, label: 'Ada', secret: 'one', scopes: ['project:read'] }))!
  const store = metadata.store(createToolbarStore)
  sessions = createToolbarSessions({ metadata, store, log: () => {}, now: () => time })
})
afterEach(() => metadata.close())
afterAll(() => rmSync(folder, { recursive: true }))

const newCode = async () => (await sessions.createCode(project.id, key, { origin: SHOP })).code

const start = (code: string, isInMemory = false) =>
  sessions.start({ code, project, origin: SHOP, isSameOrigin: false, isInMemory, client: `client ${++clients}` })

const find = (secret: string) =>
  sessions.find({ secret, project, origin: SHOP, isSameOrigin: false, isInMemory: false })

const open = async () => (await start(await newCode())).secret

const INVALID = { code: 'invalid_toolbar_code' }

test('a code is valid for 60 seconds', async () => {
  const [inTime, late] = [await newCode(), await newCode()]
  time += MINUTE - 1
  await start(inTime)
  time += 1
  await expect(start(late)).rejects.toMatchObject(INVALID)
})

test('a code starts one session, however many exchange it at the same time', async () => {
  const code = await newCode()
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => start(code)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a session in memory replaces the first one within 60 seconds of the code', async () => {
  const [inTime, late] = [await newCode(), await newCode()]
  const [replaced, stays] = [await start(inTime), await start(late)]
  time += MINUTE - 1
  const { secret } = await start(inTime, true)
  expect([await find(replaced.secret), (await find(secret))?.origin]).toEqual([undefined, SHOP])
  time += 1
  await expect(start(late, true)).rejects.toMatchObject(INVALID)
  expect(await find(stays.secret)).toBeDefined()
})

test('a session is either used or replaced, if both happen at the same time', async () => {
  for (let round = 0; round < 10; round += 1) {
    const code = await newCode()
    const { secret } = await start(code)
    const [used, replaced] = await Promise.allSettled([find(secret), start(code, true)])
    const isUsed = used.status === 'fulfilled' && used.value !== undefined
    expect(isUsed).toBe(replaced.status === 'rejected')
    expect((await find(secret)) !== undefined).toBe(isUsed)
  }
})

test('a session ends after 15 minutes without use, and after 8 hours in any case', async () => {
  const secret = await open()
  const isoAfter = (minutes: number) => new Date(START + minutes * MINUTE).toISOString()
  for (let minutes = 14; minutes < 8 * 60; minutes += 14) {
    time = START + minutes * MINUTE
    expect(await find(secret)).toMatchObject({
      expiresAt: isoAfter(Math.min(minutes + 15, 8 * 60)),
      maxExpiresAt: isoAfter(8 * 60),
    })
  }
  time = START + 8 * 60 * MINUTE
  expect(await find(secret)).toBeUndefined()

  const [unused, idle] = [await open(), await open()]
  await find(idle)
  time += 15 * MINUTE
  expect([await find(unused), await find(idle)]).toEqual([undefined, undefined])
})

test('the requests of a session are limited for a minute', async () => {
  const secret = await open()
  for (let count = 0; count < MAX_REQUESTS_PER_MINUTE; count += 1) await find(secret)
  await expect(find(secret)).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfterSeconds: 60 } })
  expect(await find(await open())).toBeDefined()
  time += MINUTE
  expect(await find(secret)).toBeDefined()
})

test("a session ends when the key's secret expires, or the earlier one if two were valid at its start", async () => {
  const before = await open()
  const future = new Date(Date.now() + 60 * MINUTE).toISOString()
  await metadata.keys.rotate(key.id, { secret: 'two', previousUntil: future })
  const between = await open()
  expect([await find(before), await find(between)]).toMatchObject([{ origin: SHOP }, { origin: SHOP }])
  const file = createClient({ url: `file:${join(folder, `${expect.getState().currentTestName}.db`)}` })
  await file.execute("UPDATE api_keys SET previous_until = '2026-01-01T00:00:00.000Z'")
  file.close()
  const after = await open()
  expect([await find(before), await find(between), await find(after)]).toMatchObject([
    undefined,
    undefined,
    { origin: SHOP },
  ])
})

test('a key that loses the scope or the project ends its sessions', async () => {
  const secret = await open()
  await metadata.keys.put({ projectId: project.id, label: 'Ada', secret: 'one', scopes: ['query:read'] })
  expect(await find(secret)).toBeUndefined()
  await metadata.keys.put({ projectId: 999, label: 'Ada', secret: 'one', scopes: ['project:read'] })
  expect(await find(secret)).toBeUndefined()
  await metadata.keys.put({ projectId: undefined, label: 'Ada', secret: 'one', scopes: ['project:read'] })
  expect(await find(secret)).toBeDefined()
})

test('codes and sessions that have ended are deleted', async () => {
  await newCode()
  await open()
  time += 15 * MINUTE
  await newCode()
  const file = createClient({ url: `file:${join(folder, `${expect.getState().currentTestName}.db`)}` })
  const count = async (table: string) => (await file.execute(`SELECT count(*) AS n FROM ${table}`)).rows[0]!.n
  expect([await count('toolbar_codes'), await count('toolbar_sessions')]).toEqual([1, 0])
  file.close()
})

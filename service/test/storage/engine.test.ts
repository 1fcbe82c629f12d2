import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { type Engine, startEngine } from '../../src/storage/embedded/engine.ts'
import { engineLibrary, thisMachine } from '../../src/storage/embedded/library.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { until } from '../support/engine.ts'

let folder: string
let engine: Engine
let storage: Storage
const said: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trailmark-engine-'))
  engine = await startEngine({
    dataDir: folder,
    library: engineLibrary(thisMachine((name) => join(dirname(require.resolve(name)), 'package.json'))),
    child: resolve(__dirname, '../../dist/storage/embedded/child.js'),
    memoryBytes: undefined,
    diskReserveBytes: 0,
    hungMs: 6_000,
    log: (line) => void said.push(line),
  })
  storage = createClickhouse(engine.connection)
  await storage.ready(20_000)
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('what is inserted is on the disk before the insert is answered', async () => {
  const settings = await storage.rows({ text: "SELECT name, value FROM system.merge_tree_settings WHERE name IN ('fsync_after_insert', 'fsync_part_directory') ORDER BY name" })
  expect(settings).toEqual([
    { name: 'fsync_after_insert', value: '1' },
    { name: 'fsync_part_directory', value: '1' },
  ])
})

test('an engine that hangs is ended and started again', async () => {
  const hung = engine.pid()!
  process.kill(hung, 'SIGSTOP')
  await until(() => engine.pid() !== hung && engine.connection() !== undefined, 25_000)
  expect(await storage.ready(10_000)).toBe(true)
  expect(said).toContain('The engine has not answered for 6 s; ending it.')
})

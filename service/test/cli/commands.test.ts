import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createClient } from '@libsql/client'
import { pause } from '../../src/lib/wait.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, countOf, event } from '../support/api.ts'
import { trailmark, trailmarkJson } from '../support/cli.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

let data: string
let service: RunningService | undefined

beforeEach(() => {
  data = temporaryFolder()
})
afterEach(async () => {
  await service?.stop()
  service = undefined
  rmSync(data, { recursive: true, force: true })
})

const reads = async (key: string, projectId = 1) =>
  (await api({ ...service!, key, projectId }, 'GET', '/endpoints/')).status

test('a project and a key created before the first start work in the service', async () => {
  const project = await trailmarkJson(
    data,
    'project',
    'create',
    'My shop',
    '--timezone',
    'Europe/Berlin',
    '--token',
    'phc_mine',
  )
  expect(project).toMatchObject({ id: 1, name: 'My shop', timezone: 'Europe/Berlin', api_token: 'phc_mine' })
  const key = await trailmarkJson(data, 'key', 'create', 'backend', '--scopes', 'endpoint:read,endpoint:write')
  service = await startService({ data })
  expect([service.projectId, service.token]).toEqual([1, 'phc_mine'])
  expect(await countOf({ ...service, key: key.value }, 'nothing')).toBe(0)
  expect((await api({ ...service, key: key.value }, 'GET', '/feature_flags/')).status).toBe(403)
})

test('keys created, rotated and revoked by commands apply immediately in a running service', async () => {
  service = await startService({ data })
  const project = await trailmarkJson(data, 'project', 'create', 'Second')
  const second = { ...service, token: project.api_token, projectId: project.id }
  expect((await capture(second, event('e'))).status).toBe(200)

  const key = await trailmarkJson(data, 'key', 'create', 'second', '--scopes', 'all', '--project', String(project.id))
  expect(await countOf({ ...second, key: key.value }, 'e')).toBe(1)
  expect(await reads(key.value, 1)).toBe(404)

  const rotated = await trailmarkJson(data, 'key', 'rotate', 'second', '--grace', '1h')
  expect([await reads(key.value, 2), await reads(rotated.value, 2)]).toEqual([200, 200])
  await trailmarkJson(data, 'key', 'rotate', 'second')
  expect([await reads(key.value, 2), await reads(rotated.value, 2)]).toEqual([401, 401])

  const all = await trailmarkJson(data, 'key', 'create', 'admin', '--scopes', 'endpoint:read', '--all-projects')
  expect([await reads(all.value, 1), await reads(all.value, 2)]).toEqual([200, 200])
  await trailmarkJson(data, 'key', 'revoke', 'admin')
  expect(await reads(all.value, 1)).toBe(401)

  const { api_token: token } = await trailmarkJson(data, 'project', 'rotate-token', String(project.id))
  expect([
    (await capture(second, event('e'))).status,
    (await capture({ ...second, token }, event('e'))).status,
  ]).toEqual([401, 200])
})

test('concurrent commands next to a service under load lose no changes', async () => {
  service = await startService({ data })
  let sending = true
  const sent = (async () => {
    const statuses = new Set<number>()
    while (sending) {
      statuses.add((await capture(service, event('load'))).status)
      await pause(20)
    }
    return statuses
  })()
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, n) => trailmarkJson(data, 'key', 'create', `key ${n}`, '--scopes', 'endpoint:read')),
  )
  sending = false
  expect([...(await sent)]).toEqual([200])
  for (const { value } of made) expect(await reads(value)).toBe(200)
  expect((await trailmarkJson(data, 'key', 'list')).map(({ label }: { label: string }) => label).sort()).toEqual([
    'first key',
    'key 0',
    'key 1',
    'key 2',
    'key 3',
    'key 4',
    'key 5',
  ])
})

test('concurrent commands in an empty data folder create one store', async () => {
  const made = await Promise.all(['a', 'b', 'c'].map((name) => trailmarkJson(data, 'project', 'create', name)))
  expect(made.map(({ id }) => id).sort()).toEqual([1, 2, 3])
  expect(await trailmarkJson(data, 'project', 'list')).toHaveLength(3)
})

test('only the command that creates a secret shows it', async () => {
  await trailmark(data, 'project', 'create', 'p')
  const { stdout } = await trailmark(data, 'key', 'create', 'k', '--scopes', 'all')
  const secret = /^tmk_\w+$/m.exec(stdout)![0]
  expect(stdout).toContain('It is shown only once.')
  const results = [
    await trailmark(data, 'key', 'list'),
    await trailmark(data, 'key', 'list', '--json'),
    await trailmark(data, 'key', 'revoke', 'k', '--json'),
  ]
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(JSON.stringify(results)).not.toContain(secret)
})

describe('invalid commands', () => {
  const twoProjects = async () => {
    const metadata = await openMetadata(join(data, 'definitions.db'))
    for (const name of ['a', 'b']) {
      const { id } = await metadata.projects.create({ name, token: `token-${name}` })
      await metadata.keys.create({ projectId: id, label: 'twice', secret: `secret-${name}`, scopes: ['endpoint:read'] })
    }
    await metadata.close()
  }

  test.each([
    [['keys'], 'unknown command "keys". Commands: serve, project create'],
    [['key'], '"key" expects one of: key create, key list, key rotate, key revoke.'],
    [['project', 'create'], '<name> is missing. Usage: trailmark project create <name>'],
    [['project', 'create', 'My', 'shop'], '"shop" is an unexpected argument (quote names with spaces). Usage:'],
    [
      ['project', 'create', 'x', '--timezone', 'Mars'],
      '"Mars" is not an IANA time zone. Use one such as Europe/Berlin or UTC.',
    ],
    [['project', 'rotate-token', 'one'], '"one" is not a project id: "trailmark project list" lists them.'],
    [['project', 'rotate-token', '99'], 'There is no project 99.'],
    [['key', 'create', 'x'], 'pass the scopes of the key with --scopes: endpoint:read'],
    [
      ['key', 'create', 'x', '--scopes', 'everything', '--project', '1'],
      'There is no scope "everything". Valid scopes: endpoint:read',
    ],
    [['key', 'create', 'x', '--scopes', 'all'], 'there are 2 projects: choose with --project 1|2, or --all-projects.'],
    [['key', 'create', 'x', '--scopes', 'all', '--project', '9'], 'There is no project 9.'],
    [
      ['key', 'create', 'x', '--scopes', 'all', '--project', '1', '--all-projects'],
      '--project and --all-projects exclude each other: pass one of them.',
    ],
    [['key', 'create', 'x', '--scope', 'all'], "Unknown option '--scope'. Usage: trailmark key create <label>"],
    [['key', 'rotate', 'nobody'], 'there is no key "nobody": "trailmark key list" lists them.'],
    [['key', 'rotate', 'twice'], 'several keys have the label "twice": choose by id'],
    [
      ['key', 'rotate', 'twice', '--project', '1', '--grace', 'soon'],
      '--grace expects a duration such as 30m, 24h or 7d, got "soon".',
    ],
    [
      ['key', 'rotate', 'twice', '--project', '1', '--grace', '99d'],
      '"grace_seconds" must be a whole number from 0 to 2592000 (30 days).',
    ],
    [
      ['serve', 'now'],
      "Unexpected argument 'now'. Usage: trailmark serve [--data <folder>] [--small]. Other settings come from the environment",
    ],
    [['--port', '1'], "Unknown option '--port'. Usage: trailmark serve [--data <folder>]"],
  ])('the arguments %j are rejected with the reason and the fix', async (words, message) => {
    await twoProjects()
    const { code, stdout, stderr } = await trailmark(data, ...words)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`trailmark: ${message}`)
    expect(stderr).not.toMatch(/\bat .*\.js/)
  })

  test('a folder that is not a data folder is rejected with the reason and the fix', async () => {
    const { code, stderr } = await trailmark(data, 'key', 'list')
    expect([code, stderr]).toEqual([
      1,
      `trailmark: there is no metadata in ${data}: pass the service's data folder with --data or TRAILMARK_DATA, or create a first project with "trailmark project create".\n`,
    ])
  })

  test('definitions of a newer release are rejected with the reason and the fix', async () => {
    await trailmark(data, 'project', 'create', 'p')
    const store = createClient({ url: `file:${join(data, 'definitions.db')}` })
    await store.execute('INSERT INTO steps (id) VALUES (9999)')
    store.close()
    expect((await trailmark(data, 'project', 'list')).stderr).toBe(
      'trailmark: the metadata was written by a newer release of Trailmark: use that release, or another data folder.\n',
    )
  })

  test('a running service of an older release is rejected with the reason and the fix', async () => {
    service = await startService({ data })
    const store = createClient({ url: `file:${join(data, 'definitions.db')}` })
    await store.execute('DELETE FROM steps WHERE id = (SELECT max(id) FROM steps)')
    store.close()
    expect((await trailmark(data, 'project', 'list')).stderr).toBe(
      'trailmark: the running service is an older release than this command: restart the service with this release first.\n',
    )
  })

  // Only root can change the owner of a folder.
  const asRoot = process.getuid?.() === 0 ? test : test.skip
  asRoot('a data folder of another user is rejected, because its service could not read files of root', async () => {
    const folder = join(data, 'theirs')
    mkdirSync(folder)
    await trailmark(folder, 'project', 'create', 'p')
    chownSync(folder, 65_534, 65_534)
    expect((await trailmark(folder, 'project', 'list')).stderr).toContain(
      "belongs to the user with the id 65534: run this command as that user, such as with sudo -u '#65534'.",
    )
  })
})

test('npx runs the command in a clone', async () => {
  const root = resolve(__dirname, '../../..')
  const { version } = JSON.parse(readFileSync(join(root, 'service/package.json'), 'utf8'))
  const { stdout, status } = spawnSync('npx', ['--no-install', 'trailmark', '--version'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([status, stdout.trim()]).toEqual([0, version])
})

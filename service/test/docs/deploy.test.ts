import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { configTable, readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../support/startService.ts'

const ROOT = resolve(__dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const FILES = [
  'examples/deploy/Dockerfile',
  'examples/deploy/compose.yaml',
  'examples/deploy/trailmark.service',
  'docs/operate/operations.md',
]
// Variables of the ClickHouse image, which compose.yaml sets.
const OF_CLICKHOUSE = ['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT']

test.each(FILES)('%s uses only existing settings', (file) => {
  const known = [...configTable().map(({ name }) => name), ...OF_CLICKHOUSE]
  const named = [...read(file).matchAll(/\b(?:TRAILMARK|CLICKHOUSE)_[A-Z_]+\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(1)
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([])
})

const dockerfile = read('examples/deploy/Dockerfile')

test('the compose file starts the service with valid settings', () => {
  const { services } = parse(read('examples/deploy/compose.yaml')) as {
    services: Record<string, { environment: Record<string, string>; depends_on?: object }>
  }
  const { environment, depends_on: dependsOn } = services.trailmark!
  expect(Object.keys(dependsOn!)).toEqual(['clickhouse', 'postgres'])
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(/\$\{[^}]+\}/g, 'a-password-of-32-characters-here'),
  ])
  expect(
    readConfig(Object.fromEntries(filled), {
      staticDir: '/app/dist',
      consoleDir: '/app/service/console/dist',
      docsDir: '/app/site/dist',
    }),
  ).toMatchObject({
    clickhouseUrl: 'http://trailmark:a-password-of-32-characters-here@clickhouse:8123',
    databaseUrl: 'postgres://trailmark:a-password-of-32-characters-here@postgres:5432/trailmark',
  })
})

/** Returns a function that says whether the build context contains a file of the repository. */
const buildContext = () => {
  const git = spawnSync('git', ['ls-files', '--cached', '--ignored', '--exclude-from=.dockerignore'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(git.status).toBe(0)
  const excluded = new Set(git.stdout.split('\n'))
  return (path: string) => !excluded.has(path)
}

/** Returns the files of the repository that a program names by relative paths, and those that these name. */
const filesNamedBy = (program: string, found = new Set([program])): Set<string> => {
  for (const [, named] of read(program).matchAll(/'(\.{1,2}\/[\w./-]+\.\w+)'/g)) {
    const path = join(dirname(program), named!)
    if (found.has(path) || !existsSync(join(ROOT, path)) || path.includes('dist/')) continue
    found.add(path)
    if (/\.m?[jt]s$/.test(path)) filesNamedBy(path, found)
  }
  return found
}

test.each(['rollup.config.mjs', 'service/build.mjs', 'service/console/vite.config.ts'])(
  'the Docker build context contains every file that %s imports or reads',
  (program) => {
    const isKept = buildContext()
    const named = [...filesNamedBy(program)]
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((path) => !isKept(path))).toEqual([])
  },
)

test('the Docker build context contains the files of the image and no data, history or packages', () => {
  const isKept = buildContext()
  for (const path of [
    'package.json',
    'package-lock.json',
    'service/package.json',
    'service/bin/trailmark.mjs',
    'service/src/main.ts',
    'src/entries/main.ts',
  ])
    expect([path, isKept(path)]).toEqual([path, true])
  for (const path of ['CHANGELOG.md', 'e2e/support/world.ts', 'service/test/config.test.ts'])
    expect([path, isKept(path)]).toEqual([path, false])
  expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['/*', '**/node_modules', '**/.data']))
})

test('the Docker image runs an LTS release of Node that package.json accepts', () => {
  const major = Number(/FROM node:(\d+)-/.exec(dockerfile)![1])
  expect(major).toBeGreaterThanOrEqual(22)
  expect(major % 2).toBe(0)
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const withSystemd = hasSystemd ? test : test.skip
withSystemd('systemd accepts the unit file', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'trailmark.service')
  // systemd checks that the program exists, and its path differs between machines.
  writeFileSync(
    file,
    read('examples/deploy/trailmark.service').replace('/usr/bin/node', process.execPath).replace('Documentation=', '#'),
  )
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('trailmark.service'))).toEqual([])
  expect(status).toBe(0)
})

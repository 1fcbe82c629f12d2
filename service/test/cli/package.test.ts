import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { capture, event, request, rowsOf } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { findReady } from '../support/startService.ts'

const ROOT = resolve(__dirname, '../../..')
const CACHE = join(ROOT, 'node_modules/.cache')
const UID = 12345

const run = (command: string, ...args: readonly string[]) => execFileSync(command, args, { encoding: 'utf8' })

/** Links the packages that a manifest depends on, as an installation of it would have them. */
const install = (folder: string, names: readonly string[], isOptional = false, found = new Set<string>()) => {
  for (const name of names) {
    const source = join(ROOT, 'node_modules', name)
    if (found.has(name) || (isOptional && !existsSync(source))) continue
    found.add(name)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    run('cp', '-al', source, join(folder, name))
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(source, 'package.json'), 'utf8'),
    )
    install(folder, Object.keys(dependencies), false, found)
    install(folder, Object.keys(optionalDependencies), true, found)
  }
}

const MEMORY = '/sys/fs/cgroup/memory'
const LIMIT_BYTES = 1_000_000_000

// As a container starts it: 1 GB of memory where cgroups of version 1 are, nothing is writable but the data and /tmp, the
// user has no name, no home and no capability.
const ISOLATED = `if [ -w ${MEMORY} ]; then
    mkdir "$GROUP" && echo ${LIMIT_BYTES} > "$GROUP/memory.limit_in_bytes" && echo $$ > "$GROUP/cgroup.procs"
  fi &&
  mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir -m 1777 /mnt/tmp && mkdir -p /mnt/data /mnt/node_modules &&
  mount --bind "$TRAILMARK_DATA" /mnt/data && mount --bind "$PACKAGES" /mnt/node_modules && mount -o remount,ro,bind / &&
  export TMPDIR=/mnt/tmp TRAILMARK_DATA=/mnt/data &&
  exec setpriv --reuid ${UID} --regid 0 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \\
  env -u HOME node /mnt/node_modules/trailmark-service/bin/trailmark.mjs serve`

/** Returns 1,000 events of 1 kB. */
const wideEvents = (delivery: number) =>
  Array.from({ length: 1_000 }, (_, n) =>
    event(
      'packed',
      {},
      {
        distinct_id: `visitor ${n}`,
        ...Object.fromEntries(Array.from({ length: 40 }, (__, at) => [`key_${at}`, `value ${delivery * n * at}`])),
      },
    ),
  )

const canIsolate = () =>
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'mount', '--make-rprivate', '/']).status === 0

test('the packed service starts with one command, and in 1 GB, read-only and as a user without a name where root can arrange it', async () => {
  // In the repository, because links need one file system.
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'package-'))
  const [data, packages] = [join(folder, 'data'), join(folder, 'node_modules')]
  const bin = join(packages, 'trailmark-service/bin/trailmark.mjs')
  const group = join(MEMORY, `trailmark-${process.pid}`)
  const isIsolated = canIsolate()
  for (const path of [data, packages]) mkdirSync(path)
  if (isIsolated) run('chown', `${UID}:0`, data)
  chmodSync(data, 0o770)

  const tarball = run(process.execPath, join(ROOT, 'scripts/packService.mjs'), folder).trim()
  run('tar', '-xzf', tarball, '-C', packages)
  run('mv', join(packages, 'package'), dirname(dirname(bin)))
  const manifest = JSON.parse(readFileSync(join(dirname(bin), '../package.json'), 'utf8'))
  install(packages, Object.keys(manifest.dependencies))
  install(packages, Object.keys(manifest.optionalDependencies), true)
  expect(run(process.execPath, bin, '--version').trim()).toBe(manifest.version)

  const [command, ...args] = isIsolated
    ? ['unshare', '--mount', 'sh', '-c', ISOLATED]
    : [process.execPath, bin, 'serve']
  const child = spawn(command, args, {
    cwd: packages,
    env: {
      PATH: process.env.PATH,
      GROUP: group,
      PACKAGES: packages,
      TRAILMARK_DATA: data,
      TRAILMARK_PORT: '0',
      TRAILMARK_SMALL: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => void (output += text))
  const ended = new Promise((done) => child.once('exit', done))
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(output)
      return findReady(output) !== undefined
    })
    const { url, token, projectId } = findReady(output)!
    const service = { url, token, projectId, key: readFileSync(join(data, 'personal_api_key'), 'utf8').trim() }
    for (const path of ['/_readiness', '/static/analytics.js', '/console/'])
      expect([path, (await request(`${url}${path}`)).status]).toEqual([path, 200])
    for (let sent = 0; sent < 20; sent += 1) expect((await capture(service, ...wideEvents(sent))).status).toBe(200)
    expect(await rowsOf(service, "SELECT count(), uniq(distinct_id) FROM events WHERE event = 'packed'")).toEqual([
      [20_000, 1_000],
    ])
    if (isIsolated && existsSync(MEMORY)) {
      expect(Number(readFileSync(join(group, 'memory.max_usage_in_bytes'), 'utf8'))).toBeLessThanOrEqual(LIMIT_BYTES)
      expect(readFileSync(join(group, 'memory.oom_control'), 'utf8')).toMatch(/oom_kill 0\n/)
    }
    for (const name of readdirSync(data)) expect([name, statSync(join(data, name)).mode & 0o77]).toEqual([name, 0])
    if (isIsolated) expect(statSync(join(data, 'engine')).uid).toBe(UID)
  } finally {
    child.kill('SIGTERM')
    await ended
    if (existsSync(group)) await until(() => spawnSync('rmdir', [group]).status === 0)
    rmSync(folder, { recursive: true })
  }
})

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startService } from '../ingest/startService.mjs'
import { markdownTable } from '../support/markdownTable.mjs'
import { digits, median, percentile } from '../support/statistics.mjs'
import { ATTACKS, ENDPOINTS, preparePeople } from './attacks.mjs'
import { createTurns } from './turns.mjs'

export const title = 'Attacks: effects on honest clients'

/** npm scripts of the root to run first. */
export const needs = ['build:service']

/** `heap`: maximum heap of the service in MB, such as 512. Absent: what Node chooses. */
export const flags = ['heap']

const CORES = 2
const MB = 1_000_000
const DURATIONS = {
  full: { seconds: 14, most: 2_000 },
  quick: { seconds: 1, most: 500 },
}
// If an attack has not ended after this time, the service hangs, and is killed and restarted.
const GRACE_MS = { full: 45_000, quick: 12_000 }
// A larger process could make the whole machine run out of memory.
const KILL_BYTES = 1_500 * MB
const SAMPLE_MS = 200

const GOALS = { rejections: 0, healthMs: 250, serviceBytes: 600 * MB, blockMs: 50 }

/** Starts a load generator. `found` resolves with its result; `undefined` if it was stopped. */
const startChild = (file, message) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { stdio: ['ignore', 2, 2, 'ipc'] })
  const found = new Promise((resolve) => {
    child.once('message', resolve)
    child.once('exit', () => resolve(undefined))
  })
  child.send(message)
  return { found, stop: () => child.kill('SIGKILL') }
}

/** Starts a service with two projects: an honest one and the attacker's. */
const start = async (heap) => {
  const turns = process.platform === 'linux' ? createTurns() : undefined
  const nodeOptions = [turns?.nodeOptions ?? '', heap ? `--max-old-space-size=${heap}` : ''].join(' ').trim()
  const service = await startService({
    cores: CORES,
    env: { TRAILMARK_LOG_LEVEL: 'error', ...turns?.env, NODE_OPTIONS: nodeOptions },
  })
  const project = async (name) => {
    const { id, api_token: token } = await service.trailmark('project', 'create', name)
    const keyOf = async (label) =>
      (
        await service.trailmark(
          ...['key', 'create', label, '--project', String(id)],
          ...[
            '--scopes',
            'endpoint:read,endpoint:write,insight_variable:write,error_tracking:read,error_tracking:write,query:read,person:read,feature_flag:read,feature_flag:write',
          ],
        )
      ).value
    return { projectId: id, token, key: await keyOf(name), otherKey: await keyOf(`${name} 2`) }
  }
  const [honest, attacker] = [await project('honest'), await project('attacker')]
  const metricsKey = (await service.trailmark('key', 'create', 'metrics', '--scopes', 'metrics:read', '--all-projects'))
    .value
  const define = async ({ projectId, key }, path, body) => {
    const response = await fetch(`${service.url}/api/projects/${projectId}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST ${path} failed with status ${response.status}: ${await response.text()}`)
  }
  const endpoint = (of, name, query) => define(of, '/endpoints/', { name, query: { kind: 'HogQLQuery', query } })
  await endpoint(honest, 'honest', 'SELECT count() FROM events')
  await define(attacker, '/insight_variables/', { name: 'n', type: 'Number' })
  for (const [name, query] of ENDPOINTS) await endpoint(attacker, name, query)
  await preparePeople({ url: service.url, ...attacker })

  return {
    ...service,
    honest,
    attacker,
    /** Returns the maximum CPU time of a turn of the event loop since the last call, in ms. */
    longestTurnMs: () => turns?.longestMs(),
    async stop() {
      await service.stop()
      turns?.remove()
    },
    /** Returns the longest block of the event loop since the last call, in ms; `undefined` if the service does not respond. */
    async longestBlockMs() {
      try {
        const response = await fetch(`${service.url}/metrics`, {
          headers: { authorization: `Bearer ${metricsKey}` },
          signal: AbortSignal.timeout(5_000),
        })
        return Number(/^trailmark_event_loop_delay_max_seconds (\S+)$/m.exec(await response.text())[1]) * 1_000
      } catch {
        return undefined
      }
    },
  }
}

const rejectedOf = (found) =>
  Object.entries(found?.statuses ?? {}).reduce((sum, [status, count]) => (status === '200' ? sum : sum + count), 0)

/** Runs one attack together with honest traffic. */
const attack = async (service, name, { seconds, most, graceMs }) => {
  const { url } = service
  await service.longestBlockMs()
  service.longestTurnMs()
  const peak = { service: 0, engine: 0 }
  let killed
  const honest = startChild('honest.mjs', { url, ...service.honest, seconds: seconds + 0.5 })
  const attacker = startChild('attacker.mjs', { url, ...service.attacker, name, seconds, most })
  const kill = async (why) => {
    killed ??= why
    await service.kill()
  }
  const sampling = setInterval(async () => {
    const now = await service.memory().catch(() => undefined) // the service has just been killed
    if (!now) return
    for (const part of ['service', 'engine']) peak[part] = Math.max(peak[part], now[part].all)
    if (now.service.all > KILL_BYTES) await kill(`killed at ${KILL_BYTES / MB} MB`)
  }, SAMPLE_MS)
  const late = setTimeout(() => kill('killed: no response'), seconds * 1_000 + graceMs)
  const [found, answers] = await Promise.all([honest.found, attacker.found])
  clearTimeout(late)
  clearInterval(sampling)
  honest.stop()
  attacker.stop()
  const blockMs = killed ? undefined : await service.longestBlockMs()
  return { name, found, answers, peak, killed, blockMs, turnMs: service.longestTurnMs() }
}

const rejections = ({ found }) =>
  ['deliveries', 'flags', 'runs', 'health'].reduce((sum, kind) => sum + rejectedOf(found?.[kind]), 0)
const healthMs = ({ found }) => (found?.health.times.length ? percentile(found.health.times, 0.99) : Infinity)
const timesOf = (kind) =>
  kind?.times.length ? `${digits(median(kind.times))} / ${digits(percentile(kind.times, 0.99))}` : '–'
const cell = (found, name) => `${timesOf(found?.[name])} · ${rejectedOf(found?.[name])}`
const wordsOf = (answers) =>
  Object.entries(answers ?? {})
    .map(([response, count]) =>
      /^\d+$/.test(response) ? `${count} × ${response === '0' ? 'none' : response}` : response,
    )
    .join(', ') || '–'

const rowOf = (each) => [
  each.name,
  each.killed ?? (each.blockMs === undefined ? 'no response' : digits(each.blockMs)),
  each.turnMs === undefined ? '–' : each.turnMs ? digits(each.turnMs) : '< 15',
  cell(each.found, 'deliveries'),
  cell(each.found, 'flags'),
  cell(each.found, 'runs'),
  `${digits(healthMs(each))} · ${rejectedOf(each.found?.health)}`,
  digits(each.peak.service / MB),
  digits(each.peak.engine / MB),
  wordsOf(each.answers),
]

const goalsOf = (all) => {
  const most = (of) => Math.max(...all.map(of))
  const goal = (what, wanted, found, isMet) => [what, wanted, found, isMet ? 'yes' : '**no**']
  const [rejected, health, bytes, block] = [
    all.reduce((sum, each) => sum + rejections(each), 0),
    most(healthMs),
    most(({ peak }) => peak.service),
    most(({ blockMs = Infinity }) => blockMs),
  ]
  return [
    goal('honest requests rejected or lost', String(GOALS.rejections), String(rejected), rejected <= GOALS.rejections),
    goal('/_health, p99 ms', `≤ ${GOALS.healthMs}`, digits(health), health <= GOALS.healthMs),
    goal(
      'memory of the service, maximum MB',
      `≤ ${GOALS.serviceBytes / MB}`,
      digits(bytes / MB),
      bytes <= GOALS.serviceBytes,
    ),
    goal('longest block of the event loop, ms', `≤ ${GOALS.blockMs}`, digits(block), block <= GOALS.blockMs),
  ]
}

/** Starts a service on this machine, attacks it, and resolves with the report as Markdown. */
export const run = async ({ quick, heap, say }) => {
  const extent = quick ? 'quick' : 'full'
  const durations = { ...DURATIONS[extent], graceMs: GRACE_MS[extent] }
  const all = []
  let service = await start(heap)
  try {
    const names = Object.keys(ATTACKS)
    for (const [at, name] of names.entries()) {
      say(`${at + 1} of ${names.length}: ${name}, ${durations.seconds} s`)
      all.push(await attack(service, name, durations))
      if (all.at(-1).killed || all.at(-1).blockMs === undefined) {
        say('The attack stopped the service. Starting a new one.')
        await service.kill()
        await service.stop()
        service = await start(heap)
      }
    }
  } finally {
    await service.stop()
  }
  return [
    `${CORES} cores for service, engine and load generators, ${durations.seconds} s an attack${heap ? `, heap of the service at most ${heap} MB` : ''}`,
    '### Targets',
    markdownTable(['all attacks', 'target', 'measured', 'met'], goalsOf(all)),
    '### Each attack',
    'Honest requests: p50 / p99 in ms · rejected or lost.',
    markdownTable(
      [
        'attack',
        'longest block, ms',
        'its CPU time, ms',
        'deliveries',
        '/flags',
        'runs',
        '/_health p99',
        'service MB',
        'engine MB',
        'responses to the attacker',
      ],
      all.map(rowOf),
    ),
  ].join('\n\n')
}

import { markdownTable } from '../support/markdownTable.mjs'
import { digits, median, percentile } from '../support/statistics.mjs'
import { bodies, lines } from './events.mjs'
import { asMuchAsIsTaken, atARate, createSender, eachOnce, toRequest } from './load.mjs'
import { startService } from './startService.mjs'

export const title = 'Ingest: throughput and cost'

/** npm scripts of the root to run first. */
export const needs = ['build:service']

/** `small=1`: measures a service with `TRAILMARK_SMALL=1`. */
export const flags = ['small']

const CORES = 2
const PER_BODY = 50
// Enough to fill the writer's next batch while the current one is stored.
const DELIVERIES_AT_ONCE = 200
const BODIES = 400
// Maximum rows per insert of the service's writer.
const BARE_ROWS = 5_000
const FLAGS_A_SECOND = 1_000
const NAMED_A_SECOND = 26_000
const SMALL_CPU_MS = 7
const VISITORS = 5_000
const MB = 1_000_000
const LIGHT_A_SECOND = 2
const SMALL_EVENTS = 10
// Maximum memory of the service and its engine together.
const LIGHT_BYTES = 400 * MB
const PEAK_BYTES = 900 * MB
// Maximum ratio of the median memory in the last quarter to that in the second.
const FLAT = 1.1

// In seconds. `light`: deliveries at a low rate before all others. `small` and `named`: numbers of deliveries with `uuid`s, which
// cannot be sent repeatedly.
const DURATIONS = {
  full: { light: 600, small: 400, ingest: 600, named: 4_000, bare: 60, flags: 60, warm: 20 },
  quick: { light: 10, small: 60, ingest: 12, named: 600, bare: 3, flags: 3, warm: 3 },
}

// The settings that the service inserts with.
const INSERT_SETTINGS = {
  json_type_escape_dots_in_keys: '1',
  type_json_skip_duplicated_paths: '1',
  input_format_try_infer_dates: '0',
  input_format_try_infer_datetimes: '0',
  input_format_json_read_bools_as_numbers: '0',
  date_time_input_format: 'best_effort',
  input_format_parallel_parsing: '0',
  max_insert_block_size: '1000000',
  async_insert: '0',
  materialize_skip_indexes_on_insert: '0',
}

const FLAGS = [
  { key: 'everybody', filters: { groups: [{}], payloads: { true: { color: 'blue' } } } },
  { key: 'half', filters: { groups: [{ rollout_percentage: 50 }] } },
  { key: 'gold', filters: { groups: [{ properties: [{ key: 'plan', value: ['gold', 'team'], type: 'person' }] }] } },
  {
    key: 'mail',
    filters: {
      groups: [{ properties: [{ key: 'email', value: '@example\\.com$', operator: 'regex', type: 'person' }] }],
    },
  },
  {
    key: 'variants',
    filters: {
      groups: [{}],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 50 },
          { key: 'b', rollout_percentage: 50 },
        ],
      },
    },
  },
  { key: 'needs-half', filters: { groups: [{ properties: [{ key: 'half', value: true, type: 'flag' }] }] } },
]

/** Calls `sample` each second. Returns a function that stops this and returns the samples. */
const startSampling = (sample) => {
  const found = []
  const timer = setInterval(async () => found.push(await sample()), 1_000)
  return () => {
    clearInterval(timer)
    return found
  }
}

/** Resolves with the result of `work` and the CPU time it took, in µs. */
const withCpu = async (service, work) => {
  const before = await service.cpu()
  const found = await work()
  const after = await service.cpu()
  return { ...found, cpu: Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]])) }
}

const quarter = (list, which) =>
  list.slice(Math.floor((list.length * (which - 1)) / 4), Math.ceil((list.length * which) / 4))

/** Returns the bytes of the service and its engine together, of each kind. `shared`: bytes of a file that both have in memory. */
const together = ({ service, engine }, shared = 0) => ({
  all: service.all + engine.all - shared,
  anonymous: service.anonymous + engine.anonymous,
  files: service.files + engine.files - shared,
})

/** Sends a few deliveries a second, and resolves with the memory at the end. */
const light = async (service, { light: seconds }, say) => {
  say(`${seconds} s of ${LIGHT_A_SECOND} deliveries a second`)
  const requests = bodies(service.token, { count: 10, perBody: PER_BODY }).map((body) =>
    toRequest(service.url, '/e/', body),
  )
  const sender = createSender(service.url, 1)
  let next = 0
  await atARate({ seconds, aSecond: LIGHT_A_SECOND, send: () => sender.send(requests[(next += 1) % requests.length]) })
  sender.close()
  return service.memory()
}

/** Returns requests of deliveries whose events have a `uuid`. */
const namedRequests = (service, count, perBody) =>
  bodies(service.token, { count, perBody, isNamed: true }).map((body) => toRequest(service.url, '/e/', body))

/** Resolves when the engine merges nothing. */
const merged = async (service) => {
  while (Number(await service.engine('SELECT count() FROM system.merges')))
    await new Promise((next) => setTimeout(next, 200))
}

/** Measures small deliveries one after another, with what the engine does for them later: merges. */
const smallDeliveries = async (service, { small: count }, say) => {
  say(`${count} deliveries of ${SMALL_EVENTS} events, one at a time`)
  const sender = createSender(service.url, 1)
  const eachOf = (requests) => eachOnce({ requests, atOnce: 1, send: sender.send })
  await eachOf(namedRequests(service, count, SMALL_EVENTS)) // the service knows the visitors
  const found = await withCpu(service, async () => {
    const sent = await eachOf(namedRequests(service, count, SMALL_EVENTS))
    await merged(service)
    return sent
  })
  sender.close()
  return found
}

const ingest = async (service, { ingest: seconds, warm }, say) => {
  const all = bodies(service.token, { count: BODIES, perBody: PER_BODY })
  const requests = all.map((body) => toRequest(service.url, '/e/', body))
  const sender = createSender(service.url, DELIVERIES_AT_ONCE)
  let next = 0
  const send = () => sender.send(requests[(next += 1) % requests.length])
  say(`${warm} s to warm up, then ${seconds} s of deliveries`)
  await asMuchAsIsTaken({ seconds: warm, atOnce: DELIVERIES_AT_ONCE, send })
  const before = await service.memory()
  const stop = startSampling(service.memory)
  const {
    times,
    rejected,
    seconds: took,
    cpu,
  } = await withCpu(service, () => asMuchAsIsTaken({ seconds, atOnce: DELIVERIES_AT_ONCE, send }))
  const memory = stop()
  sender.close()
  const of = (name) => {
    const bytes = memory.map((each) => each[name].all)
    return {
      start: before[name].all,
      end: bytes.at(-1),
      most: Math.max(...bytes),
      growth: median(quarter(bytes, 4)) / median(quarter(bytes, 2)),
    }
  }
  return {
    perSecond: (times.length * PER_BODY) / took,
    times,
    rejected,
    cpu,
    events: times.length * PER_BODY,
    bytesOfBody: all.reduce((sum, each) => sum + each.length, 0) / all.length,
    service: of('service'),
    engine: of('engine'),
    /** The memory of all samples at the moment when it was largest. */
    peak: memory.reduce((most, each) => (together(each).all > together(most).all ? each : most)),
  }
}

/** Measures deliveries whose events have a `uuid`, which the service looks up. */
const named = async (service, { named: count }, say) => {
  say(`${count} deliveries of events with a uuid`)
  const requests = namedRequests(service, count, PER_BODY)
  const sender = createSender(service.url, DELIVERIES_AT_ONCE)
  const { taken, seconds, cpu } = await withCpu(service, () =>
    eachOnce({ requests, atOnce: DELIVERIES_AT_ONCE, send: sender.send }),
  )
  sender.close()
  return { events: taken * PER_BODY, perSecond: (taken * PER_BODY) / seconds, cpu }
}

/** Resolves when all parts are merged, so that merges do not affect the next measurement. */
const settled = async (service) => {
  await service.engine('OPTIMIZE TABLE db.events')
  await merged(service)
}

/** Inserts the same events directly into the engine, in batches of the service's maximum size: one insert at a time, then two. */
const bareInserts = async (service, { bare: seconds }, say) => {
  const rows = lines(BODIES * PER_BODY)
  const batches = Array.from({ length: rows.length / BARE_ROWS }, (_, at) =>
    rows.slice(at * BARE_ROWS, (at + 1) * BARE_ROWS).join('\n'),
  ).map((text) => Buffer.from(text))
  const found = []
  for (const atOnce of [1, 2]) {
    say(`${seconds} s of bare inserts, ${atOnce} at a time`)
    // A new table with the same definition as the service's.
    await service.engine(`CREATE TABLE db.bare_${atOnce} AS db.events`)
    let next = 0
    const send = async () => {
      await service.engine(`INSERT INTO db.bare_${atOnce} FORMAT JSONEachRow`, {
        body: batches[(next += 1) % batches.length],
        settings: INSERT_SETTINGS,
      })
      return 200
    }
    const { times, seconds: took, cpu } = await withCpu(service, () => asMuchAsIsTaken({ seconds, atOnce, send }))
    found.push({ perSecond: (times.length * BARE_ROWS) / took, cpu, rows: times.length * BARE_ROWS })
    await service.engine(`DROP TABLE db.bare_${atOnce} SYNC`)
  }
  return found
}

const flagRequests = async (service, { flags: seconds, warm }, say) => {
  for (const flag of FLAGS) await service.api('/feature_flags/', flag)
  const requests = Array.from({ length: VISITORS }, (_, n) =>
    toRequest(
      service.url,
      '/flags/?v=2',
      JSON.stringify({
        token: service.token,
        distinct_id: `visitor-${n}`,
        person_properties: { plan: n % 2 ? 'gold' : 'free', email: `v${n}@example.com` },
      }),
    ),
  )
  const sender = createSender(service.url, 256)
  let next = 0
  const send = () => sender.send(requests[(next += 1) % requests.length])
  say(`${seconds} s of /flags, ${FLAGS_A_SECOND} a second`)
  await atARate({ seconds: warm, aSecond: FLAGS_A_SECOND, send })
  const found = await withCpu(service, () => atARate({ seconds, aSecond: FLAGS_A_SECOND, send }))
  sender.close()
  return found
}

const cpuOf = (cpu, count) => ['service', 'engine', 'load'].map((name) => digits(cpu[name] / count)).join(' / ')
const whole = (number) => Math.round(number).toLocaleString('en')
const formatMemory = ({ all, anonymous, files }) =>
  [all, anonymous, files].map((bytes) => digits(bytes / MB)).join(' / ')
const memoryRows = (when, memory, shared) =>
  Object.entries({ ...memory, both: together(memory, shared) }).map(([name, bytes]) => [
    `memory ${when}, ${name}, MB: all / anonymous / files`,
    formatMemory(bytes),
  ])
const formatTimes = ({ times, rejected }) =>
  `${digits(median(times))} / ${digits(percentile(times, 0.99))} / ${digits(percentile(times, 1))}${rejected ? `, ${rejected} rejected` : ''}`

/** Starts a service, takes all measurements, and resolves with the report as Markdown. */
export const run = async ({ quick, small, say }) => {
  const durations = DURATIONS[quick ? 'quick' : 'full']
  const service = await startService({ cores: CORES, env: small ? { TRAILMARK_SMALL: small } : {} })
  try {
    const afterLight = await light(service, durations, say)
    const shared = await service.sharedBytes()
    const ofSmall = await smallDeliveries(service, durations, say)
    const taken = await ingest(service, durations, say)
    const withUuid = await named(service, durations, say)
    await settled(service)
    const bare = await bareInserts(service, durations, say)
    await settled(service)
    const asked = await flagRequests(service, durations, say)
    const best = Math.max(...bare.map(({ perSecond }) => perSecond))
    const share = taken.perSecond / best
    const p99 = percentile(asked.times, 0.99)
    const smallCpuMs = ofSmall.cpu.engine / ofSmall.taken / 1_000
    const target = (what, wanted, found, isMet) => [what, wanted, found, isMet ? 'yes' : '**no**']
    return [
      `${CORES} cores for service, engine and load generator, ${durations.ingest} s${small === '1' ? ', a small service' : ''}`,
      '### Targets',
      markdownTable(
        ['what', 'target', 'measured', 'met'],
        [
          target(
            'events per second with a `uuid`, acknowledged when stored',
            `≥ ${whole(NAMED_A_SECOND)}`,
            whole(withUuid.perSecond),
            withUuid.perSecond >= NAMED_A_SECOND,
          ),
          target(
            `CPU time of the engine for a delivery of ${SMALL_EVENTS} events, with its merges, ms`,
            `≤ ${SMALL_CPU_MS}`,
            digits(smallCpuMs),
            smallCpuMs <= SMALL_CPU_MS,
          ),
          target('ratio to bare inserts of the same rows', '≥ 0.6', digits(share), share >= 0.6),
          target(
            'memory of the service, maximum MB',
            '≤ 300',
            digits(taken.service.most / MB),
            taken.service.most <= 300 * MB,
          ),
          target(
            `memory of service and engine after ${durations.light} s of light load, MB`,
            `≤ ${LIGHT_BYTES / MB}`,
            digits(together(afterLight, shared).all / MB),
            together(afterLight, shared).all <= LIGHT_BYTES,
          ),
          target(
            'memory of service and engine under full ingest, maximum MB',
            `≤ ${PEAK_BYTES / MB}`,
            digits(together(taken.peak, shared).all / MB),
            together(taken.peak, shared).all <= PEAK_BYTES,
          ),
          target(
            'memory of the service, last quarter / second quarter',
            `≤ ${FLAT}`,
            digits(taken.service.growth),
            taken.service.growth <= FLAT,
          ),
          target(
            `/flags at ${whole(FLAGS_A_SECOND)} per second, p99 ms`,
            '≤ 5',
            digits(p99),
            p99 <= 5 && !asked.rejected,
          ),
        ],
      ),
      '### Measurements',
      markdownTable(
        ['what', 'measured'],
        [
          [`deliveries of ${PER_BODY} events, gzip, bytes each`, whole(taken.bytesOfBody)],
          [`responses to deliveries, ${DELIVERIES_AT_ONCE} concurrent, ms: p50 / p99 / maximum`, formatTimes(taken)],
          ['events per second without a `uuid`', whole(taken.perSecond)],
          [
            'bare inserts, rows per second: one at a time / two',
            bare.map(({ perSecond }) => whole(perSecond)).join(' / '),
          ],
          ['responses of /flags, ms: p50 / p99 / maximum', formatTimes(asked)],
          ['CPU time per event, µs: service / engine / load generator', cpuOf(taken.cpu, taken.events)],
          [
            'CPU time per event with a `uuid`, µs: service / engine / load generator',
            cpuOf(withUuid.cpu, withUuid.events),
          ],
          [
            `CPU time per delivery of ${SMALL_EVENTS} events, one at a time, ms: service / engine / load generator`,
            cpuOf(ofSmall.cpu, 1_000 * ofSmall.taken),
          ],
          ...bare.map(({ cpu, rows }, at) => [
            `CPU time per bare row, ${at + 1} at a time, µs: service / engine / load generator`,
            cpuOf(cpu, rows),
          ]),
          [
            'CPU time per response of /flags, µs: service / engine / load generator',
            cpuOf(asked.cpu, asked.times.length),
          ],
          ...['service', 'engine'].map((name) => [
            `memory of the ${name}, MB: start / end / maximum`,
            [taken[name].start, taken[name].end, taken[name].most].map((bytes) => digits(bytes / MB)).join(' / '),
          ]),
          ...memoryRows(`after ${durations.light} s of light load`, afterLight, shared),
          ...memoryRows('at the maximum under full ingest', taken.peak, shared),
        ],
      ),
    ].join('\n\n')
  } finally {
    await service.stop()
  }
}

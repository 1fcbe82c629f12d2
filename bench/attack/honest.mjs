// Runs as a separate process: sends the requests of an honest site's pages and backend at a fixed rate, and measures each
// response from the time at which its request was due.
import { gzipSync } from 'node:zlib'
import { CLIENTS, createClient } from './client.mjs'

const EVENTS_PER_DELIVERY = 20
const TIMEOUT_MS = 20_000

const delivery = (token, n) =>
  gzipSync(
    JSON.stringify({
      api_key: token,
      batch: Array.from({ length: EVENTS_PER_DELIVERY }, (_, at) => ({
        event: 'honest',
        properties: { distinct_id: `visitor-${(n * 7 + at) % 500}`, $current_url: 'https://shop.example/', price: at },
      })),
    }),
  )

const kindsOf = ({ token, projectId, key }) => ({
  deliveries: {
    aSecond: 10,
    request: (n) => ({
      path: '/e/?compression=gzip-js',
      headers: { 'content-type': 'text/plain' },
      body: delivery(token, n),
    }),
  },
  flags: {
    aSecond: 20,
    request: (n) => ({
      path: '/flags/?v=2',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, distinct_id: `visitor-${n % 500}` }),
    }),
  },
  runs: {
    aSecond: 3,
    request: () => ({
      path: `/api/projects/${projectId}/endpoints/honest/run`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: '{"refresh":"force"}',
    }),
  },
  health: { aSecond: 20, request: () => ({ method: 'GET', path: '/_health' }) },
})

const atARate = async ({ aSecond, request }, { client, endAt }) => {
  const found = { times: [], statuses: {} }
  const asked = []
  const startedAt = performance.now()
  for (let n = 0; performance.now() < endAt; n += 1) {
    const dueAt = startedAt + (n / aSecond) * 1_000
    while (performance.now() < dueAt) await new Promise((next) => setTimeout(next, dueAt - performance.now()))
    asked.push(
      client.ask({ ...request(n), timeoutMs: TIMEOUT_MS }).then((status) => {
        found.statuses[status] = (found.statuses[status] ?? 0) + 1
        if (status === 200) found.times.push(performance.now() - dueAt)
      }),
    )
  }
  await Promise.all(asked)
  return found
}

process.on('message', async ({ url, seconds, ...project }) => {
  const client = createClient(url, CLIENTS.honest)
  const endAt = performance.now() + seconds * 1_000
  const kinds = Object.entries(kindsOf(project))
  const found = await Promise.all(kinds.map(async ([name, kind]) => [name, await atARate(kind, { client, endAt })]))
  process.send(Object.fromEntries(found), () => process.exit(0))
})

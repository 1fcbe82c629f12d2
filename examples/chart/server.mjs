// A site that shows charts to its customers: plain Node without packages. It has the personal API key, creates two endpoints at
// start, and gives each customer a run token for their own data. Browsers never receive the key.
//   TRAILMARK_PERSONAL_API_KEY=… node examples/chart/server.mjs
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { TRAILMARK_URL: service = 'http://127.0.0.1:8000', TRAILMARK_PROJECT_ID: project = '1' } = process.env
const { TRAILMARK_PERSONAL_API_KEY: key, TRAILMARK_KEY_FILE: keyFile, TRAILMARK_DEMO_PORT: port = '8002' } = process.env
const { TRAILMARK_TOKEN_SECONDS: seconds = '600' } = process.env
const authorization = `Bearer ${(key ?? readFileSync(keyFile ?? '.data/personal_api_key', 'utf8')).trim()}`
const ORDERS = `SELECT toDate(timestamp) AS day, properties.plan AS plan, count() AS orders FROM events
  WHERE event = 'order placed' AND properties.org = {variables.org}
    AND toDate(timestamp) BETWEEN {variables.date_from} AND {variables.date_to}
  GROUP BY day, plan ORDER BY day, plan`
const VISITS = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview', name: 'Pageviews' }] }

const send = async (method, path, body) => {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await fetch(`${service}/api/projects/${project}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok && answer.code !== 'name_taken') throw new Error(`${method} ${path}: ${answer.detail}`)
  return answer
}

/** Creates what the charts show. Does nothing if it is there. */
const prepare = async () => {
  await send('POST', '/insight_variables/', { name: 'org', type: 'String' })
  for (const name of ['date_from', 'date_to']) await send('POST', '/insight_variables/', { name, type: 'Date' })
  await send('PUT', '/endpoints/orders_of_org', { query: { kind: 'HogQLQuery', query: ORDERS } })
  await send('PUT', '/endpoints/visits', { query: VISITS })
}

/** Returns a token for what one customer may see: their orders, of the last 90 days. */
const ordersToken = async (org, origin) => {
  const { token } = await send('POST', '/endpoints/run_tokens', {
    endpoints: ['orders_of_org'],
    variables: { org }, // pinned: nobody can change it
    date_range: { from: '-90d' }, // the reader moves inside of it
    origins: [origin],
    ttl_seconds: Number(seconds),
  })
  return token
}

/** Returns a token for what every customer may see. */
const visitsToken = async (origin) => {
  const body = { endpoints: ['visits'], allowed_variables: [], origins: [origin], ttl_seconds: Number(seconds) }
  return (await send('POST', '/endpoints/run_tokens', body)).token
}

// A real site reads this from the session of the visitor.
const orgOfVisitor = () => 'acme'

// Charts need scripts of the service and connections to it and to this site. They need no styles.
const POLICY = `default-src 'none'; style-src 'self'; script-src ${service}; connect-src 'self' ${service}; require-trusted-types-for 'script'; trusted-types 'none'`

const PAGE = readFileSync(new URL('index.html', import.meta.url), 'utf8').replaceAll('SERVICE', service)
const STYLE = readFileSync(new URL('style.css', import.meta.url))

const FILES = {
  '/': () => ({ type: 'text/html; charset=utf-8', body: PAGE }),
  '/style.css': () => ({ type: 'text/css', body: STYLE }),
  '/tokens/orders': async (origin) => ({ type: 'text/plain', body: await ordersToken(orgOfVisitor(), origin) }),
  '/tokens/visits': async (origin) => ({ type: 'text/plain', body: await visitsToken(origin) }),
}

const server = createServer(async ({ url, headers }, response) => {
  const file = FILES[new URL(url, 'http://site').pathname]
  try {
    if (!file) return void response.writeHead(404).end()
    const { type, body } = await file(`http://${headers.host}`)
    const all = { 'content-type': type, 'content-security-policy': POLICY, 'cache-control': 'no-store' }
    response.writeHead(200, all).end(body)
  } catch (error) {
    console.error(error)
    response.writeHead(502).end()
  }
})

await prepare()
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`charts ready {"url":"http://127.0.0.1:${server.address().port}"}`)
})

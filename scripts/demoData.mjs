// `npm run demo:data`: sends the events of a generated shop to a running service, so that the console has something to show.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createRandom } from '../examples/demoData/random.mjs'
import { generateEvents } from '../examples/demoData/visits.mjs'

const USAGE = `Usage: npm run demo:data -- [--events 200000] [--days 60] [--seed 1]

Sends generated events to the service at TRAILMARK_URL (default: http://localhost:8000), with the key in
TRAILMARK_PERSONAL_API_KEY or in the data folder (TRAILMARK_DATA, default: ./.data). Start the service first: npm start`

const BATCH = 2_000
const DEFAULTS = { events: 200_000, days: 60, seed: 1 }

const fail = (message) => {
  console.error(message)
  process.exit(1)
}

const readOptions = (args) => {
  const options = { ...DEFAULTS }
  for (let at = 0; at < args.length; at += 2) {
    const name = args[at].replace(/^--/, '')
    const value = Number(args[at + 1])
    if (!(name in DEFAULTS) || !Number.isInteger(value) || value < 1) fail(USAGE)
    options[name] = value
  }
  return options
}

const url = (process.env.TRAILMARK_URL ?? 'http://localhost:8000').replace(/\/$/, '')

const readKey = () => {
  if (process.env.TRAILMARK_PERSONAL_API_KEY) return process.env.TRAILMARK_PERSONAL_API_KEY
  const file = join(process.env.TRAILMARK_DATA ?? '.data', 'personal_api_key')
  if (!existsSync(file)) fail(`There is no key in ${file}.\n\n${USAGE}`)
  return readFileSync(file, 'utf8').trim()
}

const readToken = async () => {
  const response = await fetch(`${url}/api/projects`, { headers: { authorization: `Bearer ${readKey()}` } }).catch(() =>
    fail(`No service responds at ${url}.\n\n${USAGE}`),
  )
  const body = await response.json()
  if (!response.ok) fail(body.detail)
  return body.results[0].api_token
}

const send = async (token, batch) => {
  const response = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ api_key: token, historical_migration: true, batch }), { level: 1 }),
  })
  if (!response.ok) fail(`The service rejected a batch: ${await response.text()}`)
}

const { events, days, seed } = readOptions(process.argv.slice(2))
const token = await readToken()
const began = Date.now()
let sent = 0
let batch = []
const sendBatch = async () => {
  await send(token, batch)
  sent += batch.length
  batch = []
  process.stdout.write(`\r${sent.toLocaleString('en')} of ${events.toLocaleString('en')} events`)
}
for (const event of generateEvents({ random: createRandom(seed), count: events, days, now: Date.now() })) {
  batch.push(event)
  if (batch.length === BATCH) await sendBatch()
}
if (batch.length) await sendBatch()
console.log(` sent in ${Math.round((Date.now() - began) / 1000)} s. Open the console at ${url}/console/`)

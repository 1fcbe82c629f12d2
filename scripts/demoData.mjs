// `npm run demo:data`: fills the project of a running service with a generated shop, so that every page of the console has
// something to show: events, recordings, flags, a survey, saved insights and a dashboard.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defineProject } from '../examples/demoData/project.mjs'
import { createRandom } from '../examples/demoData/random.mjs'
import { readRecordedVisits, recordingsAt } from '../examples/demoData/recordings.mjs'
import { generateEvents } from '../examples/demoData/visits.mjs'

const USAGE = `Usage: npm run demo:data -- [--events 200000] [--days 60] [--seed 1]

Sends generated events, recordings and settings to the service at TRAILMARK_URL (default: http://localhost:8000), with the key in
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

/** Sends a request to the API. Ends the program with the service's message if it is rejected. */
const ask = async (method, path, body) => {
  const headers = { authorization: `Bearer ${readKey()}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }).catch(
    () => fail(`No service responds at ${url}.\n\n${USAGE}`),
  )
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) fail(`${method} ${path}: ${answer.detail ?? response.status}`)
  return answer
}

/** Sends what SDKs send. */
const post = async (path, body) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(body), { level: 1 }),
  })
  if (!response.ok) fail(`The service rejected what was sent to ${path}: ${await response.text()}`)
}

const { events, days, seed } = readOptions(process.argv.slice(2))
const { id, api_token: token } = (await ask('GET', '/api/projects')).results[0]
const began = Date.now()
const random = createRandom(seed)
const { visits, pages } = readRecordedVisits()

const survey = await defineProject((method, path, body) => ask(method, `/api/projects/${id}${path}`, body), began)
console.log('Flags, a survey, saved insights and a dashboard are there.')

const sendBatch = (batch) => post('/batch/', { api_key: token, historical_migration: true, batch })
let sent = 0
let batch = []
const flush = async () => {
  await sendBatch(batch)
  sent += batch.length
  batch = []
  process.stdout.write(`\r${sent.toLocaleString('en')} of ${events.toLocaleString('en')} events`)
}
for (const event of generateEvents({ random, count: events, days, now: began, pages, survey })) {
  batch.push(event)
  if (batch.length === BATCH) await flush()
}
if (batch.length) await flush()
console.log()

const recordings = recordingsAt({ random, visits, token, now: began })
for (const recording of recordings) {
  await sendBatch(recording.events)
  await post('/s/', recording.chunks)
}
console.log(`${recordings.length} recordings`)
console.log(`Sent in ${Math.round((Date.now() - began) / 1000)} s. Open the console at ${url}/console/`)

import { markdownTable } from '../support/markdownTable.mjs'
import { startService } from '../support/startService.mjs'
import { median } from '../support/statistics.mjs'
import { generate } from './generate.mjs'
import { measureSeeks } from './seek.mjs'

export const title = 'Recordings and heatmaps'

/** npm scripts of the root that have to run first. */
export const needs = ['build']

/** `--chunks=2`: the number of chunks, in millions. */
export const flags = ['chunks']

const TURNS = 9
const GOAL_MS = 300
const SEEK_GOAL_MS = 500
const POINTS = 1_000_000

const REQUESTS = [
  ['first page', '/session_recordings?limit=50'],
  ['first page, 7 days', '/session_recordings?limit=50&date_from=-7d'],
  ['a page of the site', '/session_recordings?limit=50&page=products/77'],
  ['of one person', '/session_recordings?limit=50&distinct_id=visitor-77'],
  ['with errors', '/session_recordings?limit=50&has_errors=true'],
  ['at least 100 s', '/session_recordings?limit=50&min_duration=100'],
  ['heatmap of 1 million points', '/heatmaps?url=https%3A%2F%2Fshop.example%2F&type=click&date_from=-30d'],
]

const measure = async ({ api }, path) => {
  const times = []
  for (let turn = 0; turn < TURNS; turn += 1) times.push((await api('GET', path)).ms)
  return { best: Math.min(...times), middle: median(times) }
}

/** Measures each list over many chunks, and resolves with the report as Markdown. */
export const run = async ({ quick, chunks, say }) => {
  const millions = Number(chunks ?? (quick ? 0.2 : 2))
  if (!(millions > 0)) throw new Error('--chunks expects millions of chunks, such as --chunks=2.')
  const service = await startService({ TRAILMARK_LOG_LEVEL: 'error' })
  try {
    await generate(service.engine, { chunks: millions * 1_000_000, points: POINTS, say })
    const rows = []
    for (const [name, path] of REQUESTS) {
      say(name)
      const { best, middle } = await measure(service, path)
      rows.push([name, Math.round(best), Math.round(middle), GOAL_MS, middle <= GOAL_MS ? 'met' : 'missed'])
    }
    const seeks = (await measureSeeks(service, say)).sort((a, b) => a - b)
    const p95 = seeks[Math.ceil(seeks.length * 0.95) - 1]
    rows.push([
      `seek in a recording of 2 h, p95`,
      Math.round(seeks[0]),
      Math.round(p95),
      SEEK_GOAL_MS,
      p95 <= SEEK_GOAL_MS ? 'met' : 'missed',
    ])
    return `${millions} million chunks in ${(millions * 25_000).toLocaleString('en')} sessions, ${TURNS} requests each, ms:\n\n${markdownTable(['request', 'best', 'median', 'goal', ''], rows)}`
  } finally {
    await service.stop()
  }
}

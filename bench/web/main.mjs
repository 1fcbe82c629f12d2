import { markdownTable } from '../support/markdownTable.mjs'
import { startService } from '../support/startService.mjs'
import { median } from '../support/statistics.mjs'
import { generate } from './generate.mjs'

export const title = 'Web analytics: what the first screen costs'

/** npm scripts of the root that have to run first. */
export const needs = ['build:service']

/** `--rows=1,10`: the numbers of events, in millions. */
export const flags = ['rows']

const UNLIMITED = {
  TRAILMARK_RUNS_PER_MINUTE: '1000000000',
  TRAILMARK_RUNS_PER_HOUR: '1000000000',
  TRAILMARK_RUN_SECONDS: '60',
  TRAILMARK_LOG_LEVEL: 'error',
}

const TURNS = 7

/** Goals in ms, by millions of events. */
const GOALS = { tiles: { 1: 300, 10: 1_500 }, table: { 1: 1_000, 10: 4_000 } }

const PERIOD = { dateRange: { date_from: '-29d' }, compareFilter: { compare: true } }
const overview = (more = {}) => ({ kind: 'WebOverviewQuery', ...PERIOD, ...more })
const table = (breakdownBy, more = {}) => ({
  kind: 'WebStatsTableQuery',
  breakdownBy,
  includeBounceRate: true,
  ...PERIOD,
  ...more,
})

/** 30 days and the 30 before. */
const QUERIES = [
  ['tiles', 'tiles', overview()],
  ['tiles and chart', 'tiles', overview({ interval: 'day' })],
  ['tiles, one page', 'tiles', overview({ properties: [{ key: '$pathname', value: '/products/7' }] })],
  ['pages', 'table', table('Page')],
  ['pages, time and scrolling', 'table', table('Page', { includeAvgTimeOnPage: true, includeScrollDepth: true })],
  ['entry pages', 'table', table('InitialPage')],
  ['exit pages', 'table', table('ExitPage')],
  ['channels', 'table', table('InitialChannelType')],
  ['referrers', 'table', table('InitialReferringDomain')],
  ['campaign sources', 'table', table('InitialUTMSource')],
  ['browsers', 'table', table('Browser')],
  ['systems', 'table', table('OS')],
  ['devices', 'table', table('DeviceType')],
  ['countries', 'table', table('Country')],
]

const measure = async ({ api }, query) => {
  const times = []
  for (let turn = 0; turn < TURNS; turn += 1) times.push((await api('POST', '/query', { query, refresh: 'force' })).ms)
  return { best: Math.min(...times), middle: median(times) }
}

const millionsOf = (given, quick) => {
  if (given === undefined) return quick ? [1] : [1, 10]
  const millions = given.split(',').map(Number)
  if (!millions.every((each) => each > 0)) throw new Error('--rows expects millions of events, such as --rows=1,10.')
  return millions.sort((a, b) => a - b)
}

/** Measures each query of the first screen over each number of events, and resolves with the report as Markdown. */
export const run = async ({ quick, rows: given, say }) => {
  const reports = []
  for (const millions of millionsOf(given, quick)) {
    const service = await startService(UNLIMITED)
    try {
      await generate(service.engine, { from: 0, rows: millions * 1_000_000, say })
      const rows = []
      for (const [name, kind, query] of QUERIES) {
        say(name)
        const { best, middle } = await measure(service, query)
        const goal = GOALS[kind][millions]
        rows.push([
          name,
          Math.round(best),
          Math.round(middle),
          goal ?? '–',
          goal ? (middle <= goal ? 'met' : 'missed') : '–',
        ])
      }
      reports.push(
        `${millions} million events, 30 days and the 30 before, ${TURNS} runs each without cache, ms:\n\n${markdownTable(['query', 'best', 'median', 'goal', ''], rows)}`,
      )
    } finally {
      await service.stop()
    }
  }
  return reports.join('\n\n')
}

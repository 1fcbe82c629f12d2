import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NONE, SDKS } from '../sdks.mjs'
import { buildPages } from '../support/buildPages.mjs'
import { launchBrowser } from '../support/launchBrowser.mjs'
import { roundRobin } from '../support/roundRobin.mjs'
import { startCollector } from '../support/startCollector.mjs'
import { startSite } from '../support/startSite.mjs'
import { measureClick } from './click.mjs'
import { measureEvents } from './events.mjs'
import { measureLoad } from './load.mjs'
import { observe } from './observe.mjs'
import { pagesOf } from './pages.mjs'
import { formsOf } from './sizes.mjs'
import { tables } from './tables.mjs'
import { targetTable } from './targets.mjs'

export const title = 'Cost: what SDKs cost a page'

/** Whether this benchmark needs the SDKs it compares to be installed. */
export const needsPeers = true

/** npm scripts of the root to run first. */
export const needs = ['build:sdk']

/** Command-line flags. `--only=load,click` takes only these measurements. */
export const flags = ['only']

/** Timed measurements, taken in rounds of one sample per SDK. `on`: which SDKs; default: all. */
const MEASUREMENTS = [
  { name: 'load', rounds: 6, quickRounds: 2, start: measureLoad, slowdown: 1 },
  { name: 'slowLoad', rounds: 3, quickRounds: 3, start: measureLoad, slowdown: 4 },
  { name: 'events', rounds: 3, quickRounds: 1, start: measureEvents, on: ({ name }) => name !== NONE.name },
  {
    name: 'click',
    rounds: 5,
    quickRounds: 1,
    start: measureClick,
    on: ({ name, click }) => click || name === NONE.name,
  },
]

/** Takes all measurements, or those in `only`, and resolves with the report as Markdown. */
export const run = async ({ quick, say, only }) => {
  const names = ['observed', ...MEASUREMENTS.map(({ name }) => name)]
  const chosen = only?.split(',') ?? names
  const unknown = chosen.filter((name) => !names.includes(name))
  if (unknown.length) throw new Error(`--only expects ${names.join(', ')}, got ${unknown.join(', ')}.`)
  const folder = await mkdtemp(join(tmpdir(), 'trailmark-bench-'))
  const sdks = SDKS.filter(({ isInQuick }) => !quick || isInQuick)
  const withNone = [...sdks, NONE]
  say('bundling the pages')
  const built = await buildPages(
    withNone.flatMap(({ name, forms = [] }) => [name, ...forms]),
    folder,
  )
  const collectors = Object.fromEntries(
    await Promise.all(withNone.map(async (sdk) => [sdk.name, await startCollector(sdk)])),
  )
  const site = await startSite(
    Object.assign({}, ...withNone.map(({ name }) => pagesOf(name, collectors[name].url))),
    folder,
  )
  const browser = await launchBrowser()
  try {
    const world = { browser, site: site.url, collectors }
    const measured = {}
    if (chosen.includes('observed')) {
      say('wire, requests, storage (all SDKs concurrently, because nothing here is timed)')
      measured.observed = Object.fromEntries(
        await Promise.all(
          sdks.map(async (sdk) => [sdk.name, await observe({ ...world, batches: quick ? 1 : 3 })(sdk)]),
        ),
      )
    }
    for (const { name, rounds, quickRounds, start, slowdown, on = () => true } of MEASUREMENTS) {
      if (!chosen.includes(name)) continue
      measured[name] = await roundRobin(
        withNone.filter(on),
        quick ? quickRounds : rounds,
        start({ ...world, slowdown }),
        (round) => say(`${name}: ${round}`),
      )
    }
    const results = { forms: formsOf(sdks, built), ...measured }
    return [`Chromium ${browser.version()}`, targetTable(results), ...tables(sdks, results)].join('\n\n')
  } finally {
    await browser.close()
    await Promise.all([site, ...Object.values(collectors)].map(({ stop }) => stop()))
    await rm(folder, { recursive: true, force: true })
  }
}

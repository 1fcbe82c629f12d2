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

export const title = 'Cost: what the SDK costs a page, beside its peers'

/** npm scripts of the root that have to run first. */
export const needs = ['build:sdk']

const WITH_NONE = [...SDKS, NONE]

/** What is timed, round-robin: on which SDKs, and how many samples of each. */
const MEASUREMENTS = [
  { name: 'load', sdks: WITH_NONE, rounds: 6, quickRounds: 1, start: measureLoad, slowdown: 1 },
  { name: 'slowLoad', sdks: WITH_NONE, rounds: 3, quickRounds: 1, start: measureLoad, slowdown: 4 },
  { name: 'events', sdks: SDKS, rounds: 3, quickRounds: 1, start: measureEvents },
  { name: 'click', sdks: WITH_NONE.filter(({ name, click }) => click || name === NONE.name), rounds: 5, quickRounds: 1, start: measureClick },
]

/** Measures everything in one run and gives the report as Markdown. */
export const run = async ({ quick, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'trailmark-bench-'))
  say('bundling the pages')
  const built = await buildPages(WITH_NONE.flatMap(({ name, forms = [] }) => [name, ...forms]), folder)
  const collectors = Object.fromEntries(await Promise.all(WITH_NONE.map(async (sdk) => [sdk.name, await startCollector(sdk)])))
  const site = await startSite(Object.assign({}, ...WITH_NONE.map(({ name }) => pagesOf(name, collectors[name].url))), folder)
  const browser = await launchBrowser()
  try {
    const world = { browser, site: site.url, collectors }
    say('wire, requests, storage (all SDKs at once: nothing here is timed)')
    const observed = Object.fromEntries(await Promise.all(SDKS.map(async (sdk) => [sdk.name, await observe({ ...world, batches: quick ? 1 : 3 })(sdk)])))
    const measured = {}
    for (const { name, sdks, rounds, quickRounds, start, slowdown } of MEASUREMENTS) {
      measured[name] = await roundRobin(sdks, quick ? quickRounds : rounds, start({ ...world, slowdown }), (round) => say(`${name}: ${round}`))
    }
    const results = { forms: formsOf(built), observed, ...measured }
    return [`Chromium ${browser.version()}`, targetTable(results), ...tables(results)].join('\n\n')
  } finally {
    await browser.close()
    await Promise.all([site, ...Object.values(collectors)].map(({ stop }) => stop()))
    await rm(folder, { recursive: true, force: true })
  }
}

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
import { inlineScript, measureInline } from './inline.mjs'
import { measureLoad, measureLongestTask } from './load.mjs'
import { observe } from './observe.mjs'
import { pagesOf, scriptFolders } from './pages.mjs'
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

const isOursOrNone = ({ name }) => name === SDKS[0].name || name === NONE.name

/** Whether a target is a ratio to the SDK. */
const isTargetOrNone = ({ name }) => isOursOrNone({ name }) || name === 'posthog'

/** Whether the SDK has a page with its script in a script tag. The page without an SDK counts. */
const hasScriptPage = ({ name, global }) => Boolean(global) || name === NONE.name

/** Timed measurements, taken in rounds of one sample per SDK. `on`: which SDKs; default: all. */
const MEASUREMENTS = [
  { name: 'load', rounds: 6, quickRounds: 2, start: measureLoad },
  { name: 'slowLoad', rounds: 3, quickRounds: 3, start: measureLoad, of: { slowdown: 4 } },
  { name: 'scriptLoad', rounds: 6, quickRounds: 2, start: measureLoad, of: { page: 'script' }, on: hasScriptPage },
  {
    name: 'slowScriptLoad',
    rounds: 3,
    quickRounds: 3,
    start: measureLoad,
    of: { page: 'script', slowdown: 4 },
    on: hasScriptPage,
  },
  { name: 'task', rounds: 5, quickRounds: 3, start: measureLongestTask, on: hasScriptPage },
  { name: 'slowTask', rounds: 5, quickRounds: 3, start: measureLongestTask, of: { slowdown: 4 }, on: hasScriptPage },
  {
    name: 'scriptTask',
    rounds: 5,
    quickRounds: 3,
    start: measureLongestTask,
    of: { page: 'script' },
    on: hasScriptPage,
  },
  {
    name: 'slowScriptTask',
    rounds: 5,
    quickRounds: 3,
    start: measureLongestTask,
    of: { page: 'script', slowdown: 4 },
    on: hasScriptPage,
  },
  { name: 'events', rounds: 3, quickRounds: 1, start: measureEvents, on: ({ name }) => name !== NONE.name },
  { name: 'inline', rounds: 5, quickRounds: 2, start: measureInline, on: isTargetOrNone },
  {
    name: 'click',
    rounds: 5,
    quickRounds: 1,
    start: measureClick,
    on: ({ name, click }) => click || name === NONE.name,
  },
  // The number of elements of the page must not matter.
  { name: 'smallClick', rounds: 5, quickRounds: 3, start: measureClick, of: { page: 'small' }, on: isOursOrNone },
  { name: 'largeClick', rounds: 5, quickRounds: 3, start: measureClick, of: { page: 'large' }, on: isOursOrNone },
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
  const inline = Object.fromEntries(
    await Promise.all(
      withNone
        .filter(isTargetOrNone)
        .map(async ({ name }) => [name, await inlineScript(name, collectors[name].url, folder)]),
    ),
  )
  const pages = withNone.map((sdk) => pagesOf(sdk, collectors[sdk.name].url, inline[sdk.name]))
  const site = await startSite(Object.assign({}, ...pages), {
    '/bundles/': folder,
    ...scriptFolders(sdks),
  })
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
    for (const { name, rounds, quickRounds, start, of = {}, on = () => true } of MEASUREMENTS) {
      if (!chosen.includes(name)) continue
      measured[name] = await roundRobin(
        withNone.filter(on),
        quick ? quickRounds : rounds,
        start({ ...world, ...of }),
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

import { markdownTable } from '../support/markdownTable.mjs'
import { digits, summary } from '../support/statistics.mjs'
import { overNone } from './tables.mjs'

const OURS = 'trailmark'
const POSTHOG = 'posthog'
const AMPLITUDE = 'amplitude'
const script = ({ forms }, sdk, how) => forms.find((form) => form.sdk === sdk && form.kind === 'script')[how] / 1000
const core = ({ forms }, sdk) => forms.find(({ how }) => how === `pages/${sdk}-core.js`)?.gzip / 1000

/** A target for the median of a member of the samples of a measurement, minus that of the page without an SDK. */
const overEmptyPage = (needs, member, row) => ({
  needs,
  of: (results, sdk) => overNone(results[needs], sdk, member).median,
  ...row,
})

/** A target for the median of a member of the samples of a measurement. */
const plain = (needs, member, row) => ({
  needs,
  of: (results, sdk) => summary(results[needs][sdk] ?? [], member).median,
  ...row,
})
const atMost = (limit) => ({ promise: `≤ ${limit}`, most: () => limit })
const ofPosthog = (share) => ({ promise: `≤ ${share.toFixed(2)} × posthog-js`, most: (posthog) => share * posthog })

/**
 * Targets of the SDK. `needs`: required measurement; `of`: measured value of an SDK; `most`: maximum, in the same unit.
 * "script" is `analytics.js` in a script tag, "import" the npm package in a bundle.
 */
const TARGETS = [
  ...[
    ['gzip', 24.9],
    ['brotli', 22.4],
  ].map(([how, limit]) => ({
    needs: 'forms',
    what: `script, ${how} kB`,
    of: (r, sdk) => script(r, sdk, how),
    ...atMost(limit),
  })),
  { needs: 'forms', what: '`trailmark/core` by import, gzip kB', of: core, ...atMost(12.5) },
  ...[
    ['script', 'scriptLoad', 'slowScriptLoad', 'scriptTask', 'slowScriptTask'],
    ['import', 'load', 'slowLoad', 'task', 'slowTask'],
  ].flatMap(([form, load, slowLoad, task, slowTask]) => [
    overEmptyPage(load, 'cpuMs', { what: `${form}: load and init, main-thread CPU ms`, ...ofPosthog(0.2) }),
    overEmptyPage(slowLoad, 'cpuMs', { what: `${form}: the same, slowed down 4x`, ...ofPosthog(0.18) }),
    plain(task, 'taskMs', { what: `${form}: longest task at start, ms`, ...atMost(10) }),
    plain(slowTask, 'taskMs', { what: `${form}: the same, slowed down 4x`, ...atMost(50) }),
    overEmptyPage(load, 'heapKb', { what: `${form}: heap kB, minus an empty page`, ...ofPosthog(0.33) }),
  ]),
  plain('load', 'captureUs', { what: 'capture(), spaced, µs', ...atMost(400) }),
  plain('load', 'captureUs', {
    what: 'capture(), spaced, µs, compared with amplitude',
    promise: '≤ 2 × amplitude',
    most: (_, { load }) => 2 * summary(load[AMPLITUDE], 'captureUs').median,
  }),
  plain('events', 'burstUs', { what: 'capture() in a burst, µs', ...atMost(25) }),
  plain('events', 'cpuMs', { what: '1,000 events, main-thread CPU ms', ...ofPosthog(0.15) }),
  overEmptyPage('inline', 'startMs', { what: 'inline script: start, main-thread CPU ms', ...ofPosthog(0.18) }),
  plain('inline', 'burstUs', { what: 'inline script: capture() in a burst, µs', ...atMost(20) }),
  overEmptyPage('inline', 'cpuMs', { what: 'inline script: 1,000 events, main-thread CPU ms', ...ofPosthog(0.12) }),
  overEmptyPage('click', 'syncMs', { what: 'click, synchronous ms', ...ofPosthog(0.12) }),
  {
    needs: 'largeClick',
    what: 'click on a page of 100,000 elements × that of 2,000',
    of: (r, sdk) =>
      sdk === OURS ? overNone(r.largeClick, sdk, 'syncMs').median / overNone(r.smallClick, sdk, 'syncMs').median : NaN,
    ...atMost(1.2),
  },
  {
    needs: 'observed',
    what: 'wire, body bytes per event, batch of 100',
    of: (r, sdk) => summary(r.observed[sdk].wire, 'bodyBytes').median,
    ...atMost(50),
  },
  {
    needs: 'observed',
    what: 'requests before the first event',
    of: (r, sdk) => r.observed[sdk].beforeFirstEvent,
    promise: '1',
    most: () => 1,
  },
]

// On a machine that is too busy, a page with an SDK can seem to cost less than one without.
const verdict = (our, limit) => (our < 0 ? 'too noisy' : our <= limit ? 'yes' : '**no**')

/** Returns the table of targets, with the measured values and whether each target is met. */
export const targetTable = (results) =>
  `### Targets\n\n${markdownTable(
    ['what', 'target', 'at most', 'posthog-js', 'trailmark', '× posthog', 'met'],
    TARGETS.filter(({ needs }) => results[needs]).map(({ what, promise, of, most }) => {
      const [our, their] = [of(results, OURS), of(results, POSTHOG)]
      const limit = most(their, results)
      return [what, promise, digits(limit), digits(their), digits(our), digits(our / their), verdict(our, limit)]
    }),
  )}`

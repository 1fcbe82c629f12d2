import { markdownTable } from '../support/markdownTable.mjs'
import { digits, summary } from '../support/statistics.mjs'
import { overNone } from './tables.mjs'

const OURS = 'trailmark'
const POSTHOG = 'posthog'
const AMPLITUDE = 'amplitude'
const script = ({ forms }, sdk, how) => forms.find((form) => form.sdk === sdk && form.kind === 'script')[how] / 1000
const cpuMs = (samples, sdk) => overNone(samples, sdk, 'cpuMs').median

/** Targets of the SDK. `needs`: required measurement; `of`: measured value of an SDK; `most`: maximum, in the same unit. */
const TARGETS = [
  ...[
    ['gzip', 24.9],
    ['brotli', 22.4],
  ].map(([how, limit]) => ({
    needs: 'forms',
    what: `script, ${how} kB`,
    promise: `≤ ${limit}`,
    of: (r, sdk) => script(r, sdk, how),
    most: () => limit,
  })),
  {
    needs: 'load',
    what: 'load and init, main-thread CPU ms',
    promise: '≤ 0.20 × posthog-js',
    of: (r, sdk) => cpuMs(r.load, sdk),
    most: (posthog) => 0.2 * posthog,
  },
  {
    needs: 'slowLoad',
    what: 'the same, slowed down 4x',
    promise: '≤ 0.18 × posthog-js',
    of: (r, sdk) => cpuMs(r.slowLoad, sdk),
    most: (posthog) => 0.18 * posthog,
  },
  {
    needs: 'load',
    what: 'capture(), spaced, µs',
    promise: '≤ 400',
    of: (r, sdk) => summary(r.load[sdk], 'captureUs').median,
    most: () => 400,
  },
  {
    needs: 'load',
    what: 'capture(), spaced, µs, compared with amplitude',
    promise: '≤ 2 × amplitude',
    of: (r, sdk) => summary(r.load[sdk], 'captureUs').median,
    most: (_, r) => 2 * summary(r.load[AMPLITUDE], 'captureUs').median,
  },
  {
    needs: 'events',
    what: 'capture() in a burst, µs',
    promise: '≤ 25',
    of: (r, sdk) => summary(r.events[sdk], 'burstUs').median,
    most: () => 25,
  },
  {
    needs: 'events',
    what: '1,000 events, main-thread CPU ms',
    promise: '≤ 0.15 × posthog-js',
    of: (r, sdk) => summary(r.events[sdk], 'cpuMs').median,
    most: (posthog) => 0.15 * posthog,
  },
  {
    needs: 'click',
    what: 'click, synchronous ms',
    promise: '≤ 0.12 × posthog-js',
    of: (r, sdk) => overNone(r.click, sdk, 'syncMs').median,
    most: (posthog) => 0.12 * posthog,
  },
  {
    needs: 'observed',
    what: 'wire, body bytes per event, batch of 100',
    promise: '≤ 50',
    of: (r, sdk) => summary(r.observed[sdk].wire, 'bodyBytes').median,
    most: () => 50,
  },
  {
    needs: 'load',
    what: 'heap kB, minus an empty page',
    promise: '≤ 0.33 × posthog-js',
    of: (r, sdk) => overNone(r.load, sdk, 'heapKb').median,
    most: (posthog) => 0.33 * posthog,
  },
  {
    needs: 'observed',
    what: 'requests before the first event',
    promise: '1',
    of: (r, sdk) => r.observed[sdk].beforeFirstEvent,
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

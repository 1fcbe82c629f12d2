import { markdownTable } from '../support/markdownTable.mjs'
import { digits, summary } from '../support/statistics.mjs'
import { overNone } from './tables.mjs'

const OURS = 'trailmark'
const POSTHOG = 'posthog'
const script = ({ forms }, sdk) => forms.find((form) => form.sdk === sdk && form.kind === 'script').gzip / 1000

/** What the SDK promises: what it costs, what it may cost at most; both as numbers of one unit. */
const TARGETS = [
  {
    what: 'script-tag core, gzip kB',
    promise: '≤ 14.6',
    ours: (r) => script(r, OURS),
    posthog: (r) => script(r, POSTHOG),
    most: () => 14.6,
  },
  {
    what: 'load and init, main-thread CPU ms',
    promise: '≤ 1/10 of posthog-js',
    ours: (r) => overNone(r.load, OURS, 'cpuMs').median,
    posthog: (r) => overNone(r.load, POSTHOG, 'cpuMs').median,
    most: (posthog) => posthog / 10,
  },
  {
    what: 'the same, slowed down 4x',
    promise: '≤ 1/10 of posthog-js',
    ours: (r) => overNone(r.slowLoad, OURS, 'cpuMs').median,
    posthog: (r) => overNone(r.slowLoad, POSTHOG, 'cpuMs').median,
    most: (posthog) => posthog / 10,
  },
  {
    what: 'capture(), spaced, µs',
    promise: '≤ amplitude',
    ours: (r) => summary(r.load[OURS], 'captureUs').median,
    posthog: (r) => summary(r.load[POSTHOG], 'captureUs').median,
    most: (_, r) => summary(r.load.amplitude, 'captureUs').median,
  },
  {
    what: '1,000 events, main-thread CPU ms',
    promise: '≤ 1/5 of posthog-js',
    ours: (r) => summary(r.events[OURS], 'cpuMs').median,
    posthog: (r) => summary(r.events[POSTHOG], 'cpuMs').median,
    most: (posthog) => posthog / 5,
  },
  {
    what: 'click, synchronous ms',
    promise: '≤ 1/5 of posthog-js',
    ours: (r) => overNone(r.click, OURS, 'syncMs').median,
    posthog: (r) => overNone(r.click, POSTHOG, 'syncMs').median,
    most: (posthog) => posthog / 5,
  },
  {
    what: 'wire, body bytes an event of 100',
    promise: '≤ 60',
    ours: (r) => summary(r.observed[OURS].wire, 'bodyBytes').median,
    posthog: (r) => summary(r.observed[POSTHOG].wire, 'bodyBytes').median,
    most: () => 60,
  },
  {
    what: 'heap kB over an empty page',
    promise: '≤ 1/4 of posthog-js',
    ours: (r) => overNone(r.load, OURS, 'heapKb').median,
    posthog: (r) => overNone(r.load, POSTHOG, 'heapKb').median,
    most: (posthog) => posthog / 4,
  },
  {
    what: 'requests before the first event',
    promise: '1',
    ours: (r) => r.observed[OURS].beforeFirstEvent,
    posthog: (r) => r.observed[POSTHOG].beforeFirstEvent,
    most: () => 1,
  },
]

// Less than nothing is what a page without an SDK measures on a machine that is too busy.
const verdict = (our, limit) => (our < 0 ? 'too noisy' : our <= limit ? 'yes' : '**no**')

/** Each target with what was measured, and whether it is met. */
export const targetTable = (results) =>
  `### Targets\n\n${markdownTable(
    ['what', 'target', 'at most', 'posthog-js', 'trailmark', '× posthog', 'met'],
    TARGETS.map(({ what, promise, ours, posthog, most }) => {
      const [our, their] = [ours(results), posthog(results)]
      const limit = most(their, results)
      return [what, promise, digits(limit), digits(their), digits(our), digits(our / their), verdict(our, limit)]
    }),
  )}`

import { markdownTable } from '../support/markdownTable.mjs'
import { digits, median, ratio, spread, summary } from '../support/statistics.mjs'

const BASE = 'posthog'
const kb = (bytes) => digits(bytes / 1000)

/** A member of a measurement over what the page without an SDK has of it. */
export const overNone = (samples, name, member) =>
  summary(samples[name], member, samples.none ? median(samples.none.map((each) => each[member])) : 0)

/** Rows of a table: an SDK each; a column gives its cell. */
const sdkTable = (title, note, columns, sdks) =>
  `### ${title}\n\n${note}\n\n${markdownTable(
    ['SDK', ...columns.map(([head]) => head)],
    sdks.map(({ name }) => [name, ...columns.map(([, cell]) => cell(name))]),
  )}`

/** Two columns of one member: its spread, and its median over posthog's. */
const withRatio = (head, of) => [
  [head, (name) => spread(of(name))],
  ['× posthog', (name) => ratio(of(name), of(BASE))],
]

/** The tables of the report: the measurements that each needs, and the table as Markdown. */
const TABLES = [
  {
    needs: [],
    table: (sdks, { forms }) =>
      `### Size\n\nkB of 1,000 bytes, gzip -9 and brotli 11. An import is bundled by Vite with the page's few lines; "later" is what it may load after the start, gzip.\n\n${markdownTable(
        ['SDK', 'form', 'version', 'raw', 'gzip', 'brotli', 'later', 'gzip × posthog'],
        forms.map(({ sdk, version, kind, how, raw, gzip, brotli, later }) => [
          sdk,
          `${kind}: ${how}`,
          version,
          kb(raw),
          kb(gzip),
          kb(brotli),
          later ? kb(later) : '–',
          digits(gzip / forms.find((form) => form.sdk === BASE && form.kind === kind).gzip),
        ]),
      )}`,
  },
  {
    needs: ['load', 'slowLoad'],
    table: (sdks, { load, slowLoad }) =>
      sdkTable(
        'Load and init',
        'Main-thread CPU over the same page without an SDK, until 1 s (at 4x: 2 s) after its load event; JavaScript heap over it, after garbage collection.',
        [
          ...withRatio('CPU ms, 1x', (name) => overNone(load, name, 'cpuMs')),
          ...withRatio('CPU ms, 4x', (name) => overNone(slowLoad, name, 'cpuMs')),
          ...withRatio('heap kB', (name) => overNone(load, name, 'heapKb')),
        ],
        sdks,
      ),
  },
  {
    needs: ['load', 'events'],
    table: (sdks, { load, events }) =>
      sdkTable(
        'capture()',
        'Spaced: calls 50 ms apart on a fresh page, wall time. Burst: 100 calls in one task, ten times. 1,000 events: main-thread CPU of all of it, sending and answers included.',
        [
          ...withRatio('spaced µs', (name) => summary(load[name], 'captureUs')),
          ...withRatio('burst µs', (name) => summary(events[name], 'burstUs')),
          ...withRatio('1,000 events, CPU ms', (name) => summary(events[name], 'cpuMs')),
          ['arrived', (name) => spread(summary(events[name], 'arrived'))],
        ],
        sdks,
      ),
  },
  {
    needs: ['click', 'observed'],
    table: (sdks, { observed, click }) =>
      sdkTable(
        'Click',
        'A button at depth 20 of 2,000 nodes, over the same page without an SDK. Synchronous: how long `button.click()` takes, wall time. CPU: per click, with what follows it.',
        [
          ...withRatio('synchronous ms', (name) => overNone(click, name, 'syncMs')),
          ['slowest ms', (name) => digits(Math.max(...click[name].map(({ slowestMs }) => slowestMs)))],
          ...withRatio('CPU ms', (name) => overNone(click, name, 'cpuMs')),
          ['events of 10 clicks', (name) => observed[name].clicks],
        ],
        sdks.filter(({ name }) => click[name]),
      ),
  },
  {
    needs: ['observed'],
    table: (sdks, { observed }) =>
      sdkTable(
        'Wire and storage',
        'A batch of 100 events as the SDK sends it by default: bytes an event, bodies and heads (HTTP/1.1) apart. Requests at load: without the SDK itself and without preflights, before the first one with an event and until 1 s after it (no event: 5 s). Bytes stored by then.',
        [
          ...withRatio('body B/event', (name) => summary(observed[name].wire, 'bodyBytes')),
          ['head B/event', (name) => digits(summary(observed[name].wire, 'headBytes').median)],
          ['requests', (name) => summary(observed[name].wire, 'requests').median],
          ['preflights', (name) => summary(observed[name].wire, 'preflights').median],
          ['arrived', (name) => summary(observed[name].wire, 'arrived').median],
          ['requests before the first event', (name) => observed[name].beforeFirstEvent],
          ['until 1 s after it', (name) => observed[name].atLoad],
          ['cookies B', (name) => observed[name].cookieBytes],
          ['localStorage B', (name) => observed[name].localBytes],
          ['sessionStorage B', (name) => observed[name].sessionBytes],
          ['databases', (name) => observed[name].databases.length],
          ['foreign hosts asked', (name) => observed[name].foreign.join(' ') || '–'],
        ],
        sdks,
      ),
  },
]

/** All tables whose measurements were taken. */
export const tables = (sdks, results) =>
  TABLES.filter(({ needs }) => needs.every((name) => results[name])).map(({ table }) => table(sdks, results))

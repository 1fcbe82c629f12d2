import { markdownTable } from '../support/markdownTable.mjs'
import { digits, percentile } from '../support/statistics.mjs'

/** The question that counts people. */
const PEOPLE = 'people_by_day'
const MANY_ROWS = 10_000_000

const millions = (rows) => `${digits(rows / 1_000_000)} M`
const find = ({ loads }, path, callers) => loads.find((each) => each.path === path && each.callers === callers)
const p = (found, share) => percentile(found.samples, share)
const worst = (questions, value) => Math.max(...questions.map(value))

const isAsked = (sizes, name) => sizes[0].questions.some((question) => question.name === name)

/** Returns the worst ratio of p50 over the most events to p50 over the fewest. */
const growth = (sizes, path) =>
  sizes.length > 1
    ? worst(
        sizes.at(-1).questions,
        (last) =>
          p(find(last, path, 1), 0.5) /
          p(
            find(
              sizes[0].questions.find(({ name }) => name === last.name),
              path,
              1,
            ),
            0.5,
          ),
      )
    : NaN

/** Returns a value of each load of a path with so many callers, over all sizes. `isPeople`: only of the question about people, or of the others. */
const each = (sizes, { path, callers, isPeople }, value) =>
  sizes.flatMap(({ questions }) =>
    questions
      .filter(({ name }) => isPeople === undefined || (name === PEOPLE) === isPeople)
      .map((question) => value(find(question, path, callers), question)),
  )

const p99 = (found) => p(found, 0.99)
const p50 = (found) => p(found, 0.5)
const byHand = (sizes, isOf) =>
  Math.max(...sizes.filter(isOf).map(({ questions }) => worst(questions, ({ liveMs, byHandMs }) => liveMs / byHandMs)))

/** Targets of the service, with `most` or `least`. The worst query and size counts. */
const TARGETS = [
  {
    what: 'cached run, p50, ms',
    most: 2,
    ours: (sizes) => Math.max(...each(sizes, { path: 'cached', callers: 1 }, p50)),
  },
  {
    what: 'materialized run, p99, ms: counts and sums',
    most: 25,
    ours: (sizes) => Math.max(...each(sizes, { path: 'materialized', callers: 1, isPeople: false }, p99)),
  },
  {
    what: 'the same: people',
    most: 40,
    ours: (sizes) => Math.max(...each(sizes, { path: 'materialized', callers: 1, isPeople: true }, p99)),
  },
  {
    what: 'materialized run, 16 callers, p99, ms',
    most: 100,
    ours: (sizes) => Math.max(...each(sizes, { path: 'materialized', callers: 16 }, p99)),
  },
  {
    what: 'the same, runs per second',
    least: 250,
    ours: (sizes) => Math.min(...each(sizes, { path: 'materialized', callers: 16 }, ({ perSecond }) => perSecond)),
  },
  // Flat: 100 times as many events may cost a quarter more.
  {
    what: 'materialized run, p50 over the most events × p50 over the fewest',
    most: 1.25,
    ours: (sizes) => growth(sizes, 'materialized'),
  },
  {
    what: 'materialized run, p50 × live run',
    most: 1,
    ours: (sizes) =>
      Math.max(
        ...each(
          sizes,
          { path: 'materialized', callers: 1 },
          (found, question) => p50(found) / p50(find(question, 'live', 1)),
        ),
      ),
  },
  {
    what: 'live run, p50 × hand-written SQL, less than 10 million events',
    most: 1.25,
    ours: (sizes) => byHand(sizes, ({ rows }) => rows < MANY_ROWS),
  },
  {
    what: 'the same, 10 million and more',
    most: 1.15,
    ours: (sizes) => byHand(sizes, ({ rows }) => rows >= MANY_ROWS),
  },
  {
    what: 'overhead of a live run, without the engine, p50, ms',
    most: 0.85,
    ours: (sizes) => Math.max(...sizes.map(({ questions }) => worst(questions, ({ overheadMs }) => overheadMs))),
  },
  {
    what: 'of which parse, bind and compile, p50, ms',
    most: 2,
    ours: (sizes, compiler) =>
      Math.max(
        ...compiler
          .filter(({ name }) => isAsked(sizes, name))
          .map(({ parseMs, bindMs, compileMs }) => parseMs + bindMs + compileMs),
      ),
  },
]

const verdict = (ours, { most = Infinity, least = -Infinity }) =>
  Number.isFinite(ours) ? (ours <= most && ours >= least ? 'yes' : '**no**') : 'not with these sizes'

/** Returns the report: targets, then all measurements. */
export const tables = ({ sizes, compiler }) => [
  '### Targets',
  markdownTable(
    ['what', 'target', 'worst measured', 'met'],
    TARGETS.map(({ what, ours, ...target }) => [
      what,
      target.least === undefined ? `≤ ${digits(target.most)}` : `≥ ${digits(target.least)}`,
      digits(ours(sizes, compiler)),
      verdict(ours(sizes, compiler), target),
    ]),
  ),
  '### Runs by number of events',
  'ms over HTTP: p50 / p99 (samples; runs per second).',
  markdownTable(
    ['query', 'events', 'callers', 'live', 'materialized', 'cached'],
    sizes.flatMap(({ rows, questions }) =>
      questions.flatMap((question) =>
        [...new Set(question.loads.map(({ callers }) => callers))].map((callers) => [
          question.name,
          millions(rows),
          callers,
          ...['live', 'materialized', 'cached'].map((path) => {
            const found = find(question, path, callers)
            return `${digits(p(found, 0.5))} / ${digits(p(found, 0.99))} (${found.samples.length}; ${digits(found.perSecond)})`
          }),
        ]),
      ),
    ),
  ),
  '### Live runs and hand-written SQL',
  'p50 in ms, one caller, alternating. Overhead: duration of the run minus the time spent waiting for the engine.',
  markdownTable(
    ['query', 'events', 'hand-written', 'live', '×', 'overhead', 'create'],
    sizes.flatMap(({ rows, questions }) =>
      questions.map(({ name, byHandMs, liveMs, overheadMs, defineMs }) => [
        name,
        millions(rows),
        digits(byHandMs),
        digits(liveMs),
        digits(liveMs / byHandMs),
        digits(overheadMs),
        digits(defineMs),
      ]),
    ),
  ),
  '### Compiler',
  'p50 in µs, in one process, without the engine.',
  markdownTable(
    ['query', 'characters', 'parse', 'bind', 'compile'],
    compiler.map(({ name, characters, ...took }) => [
      name,
      characters,
      ...['parseMs', 'bindMs', 'compileMs'].map((step) => digits(1000 * took[step])),
    ]),
  ),
]

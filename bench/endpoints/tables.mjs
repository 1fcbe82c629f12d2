import { markdownTable } from '../support/markdownTable.mjs'
import { digits, percentile } from '../support/statistics.mjs'

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

/** Targets of the service. The worst query and size counts. */
const TARGETS = [
  {
    what: 'cached run, p50, ms',
    most: 2,
    ours: (sizes) =>
      Math.max(...sizes.map(({ questions }) => worst(questions, (each) => p(find(each, 'cached', 1), 0.5)))),
  },
  {
    what: 'materialized run, p99, ms',
    most: 50,
    ours: (sizes) =>
      Math.max(...sizes.map(({ questions }) => worst(questions, (each) => p(find(each, 'materialized', 1), 0.99)))),
  },
  {
    what: 'the same, 16 callers',
    most: 50,
    ours: (sizes) =>
      Math.max(...sizes.map(({ questions }) => worst(questions, (each) => p(find(each, 'materialized', 16), 0.99)))),
  },
  // Flat: 100 times as many events may cost 1.5 times as much.
  {
    what: 'materialized run, p50 over the most events × p50 over the fewest',
    most: 1.5,
    ours: (sizes) => growth(sizes, 'materialized'),
  },
  {
    what: 'live run, p50 × hand-written SQL',
    most: 1.2,
    ours: (sizes) =>
      Math.max(...sizes.map(({ questions }) => worst(questions, ({ liveMs, byHandMs }) => liveMs / byHandMs))),
  },
  {
    what: 'overhead of a live run, without the engine, p50, ms',
    most: 2,
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

const verdict = (ours, most) => (Number.isNaN(ours) ? 'one size only' : ours <= most ? 'yes' : '**no**')

/** Returns the report: targets, then all measurements. */
export const tables = ({ sizes, compiler }) => [
  '### Targets',
  markdownTable(
    ['what', 'at most', 'worst measured', 'met'],
    TARGETS.map(({ what, most, ours }) => [
      what,
      digits(most),
      digits(ours(sizes, compiler)),
      verdict(ours(sizes, compiler), most),
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

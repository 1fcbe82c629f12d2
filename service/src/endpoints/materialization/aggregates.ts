import { AGGREGATES, COMBINATORS } from '../../sql/catalog/functions/aggregates.ts'
import { call, type CallSql, infix, type Sql } from '../../sql/catalog/physical.ts'
import { number } from './words.ts'
import { own } from '../../lib/own.ts'

const namesIn = (list: string): readonly string[] => list.trim().split(/\s+/)

// Aggregates whose states can be merged in any order with the same result as aggregating all rows at once.
const EXACT = namesIn(`
  count sum sumKahan sumWithOverflow avg avgWeighted min max uniq uniqExact uniqCombined uniqCombined64 uniqHLL12
  medianExact quantileExact quantileExactLow quantileExactHigh quantileExactInclusive quantileExactWeighted quantilesExact
  stddevPop stddevSamp varPop varSamp covarPop covarSamp corr skewPop skewSamp kurtPop kurtSamp
  groupBitAnd groupBitOr groupBitXor groupBitmap entropy retention`)

/**
 * Mergeable aggregates of which several results are correct. Two live runs may differ (ties, samples), so they are not compared with
 * materialized runs.
 */
export const UNDETERMINED = namesIn(`
  median quantile quantiles medianTDigest quantileTDigest quantilesTDigest quantileTiming quantilesTiming quantileBFloat16
  argMin argMax any groupArray groupUniqArray`)

export const MERGEABLE: ReadonlySet<string> = new Set([...EXACT, ...UNDETERMINED])

/** Returns the aggregate of a compiled function's name, without endings: `sum` for `sumIf`. `undefined` for other functions. */
export const aggregateOf = (name: string): string | undefined => {
  if (Object.hasOwn(AGGREGATES, name)) return name
  for (const ending of Object.keys(COMBINATORS)) {
    const base = name.endsWith(ending) ? aggregateOf(name.slice(0, -ending.length)) : undefined
    if (base) return base
  }
  return undefined
}

/** Aggregates whose result does not change if rows are repeated. */
const IGNORES_REPEATS: ReadonlySet<string> = new Set(
  namesIn(`
  min max uniq uniqExact uniqCombined uniqCombined64 uniqHLL12 groupBitAnd groupBitOr groupBitmap retention
  argMin argMax any groupUniqArray`),
)

/**
 * Aggregates whose partial results are stored as values, with the aggregate over these values. Values cost the engine less than
 * states. `minIf` and `maxIf` are missing, because without rows they return 0, which is not neutral.
 */
const OVER_VALUES: Readonly<Record<string, string>> = {
  count: 'sum',
  countIf: 'sum',
  sum: 'sum',
  sumIf: 'sum',
  min: 'min',
  max: 'max',
}

/** Whether partial results of an aggregate add up. */
export const isAdditive = ({ name }: CallSql): boolean => own(OVER_VALUES, name) === 'sum'

/** Returns the aggregate over the stored partial results of `name`. */
const mergeOf = (name: string): string => own(OVER_VALUES, name) ?? `${name}Merge`

/** Returns the expression that computes the stored partial result of an aggregate: a value or a state. */
export const partialOf = (of: CallSql): CallSql =>
  Object.hasOwn(OVER_VALUES, of.name) ? of : { ...of, name: `${of.name}State` }

/** Returns the aggregate that merges such partial results into one. Its argument is their column. */
export const mergedPartialOf = (of: CallSql): CallSql => ({
  ...of,
  name: own(OVER_VALUES, of.name) ?? `${of.name}MergeState`,
})

/** Computation of an aggregate from stored rows. Each row represents events that are equal in everything the run reads. */
export interface Computed {
  /** The aggregate whose partial results are stored. */
  readonly state?: CallSql
  /** Arguments evaluated at the run. */
  readonly args: readonly Sql[]
  /** Returns the aggregate over the column of the partial results and these arguments. */
  readonly over: (args: readonly Sql[], state?: Sql) => Sql
}

const COUNT: CallSql = { kind: 'call', name: 'count', args: [] }

/** Returns the function and arguments with the same result over rows that each represent `count` events. */
type Weigh = (args: readonly Sql[], count: Sql) => readonly [name: string, ...args: Sql[]]

// avg is missing, because the engine's avgWeighted() truncates some nullable values.
/** Aggregates with a factor for the number of events. Others get arrays that repeat each value once per event. */
const WEIGHED: Readonly<Record<string, Weigh>> = {
  count: ([value], count) => ['sum', call('if', call('isNull', value!), number(0), count)],
  sum: ([value], count) => ['sum', infix(value!, '*', count)],
}

// Over arrays, `sumIfOrNull` returns 0 where no row passes its condition, and NULL over rows, as `sumOrNullIf` does over both.
// `countIfOrNull` returns 0 over both.
const overArrays = (name: string): string => name.replace(/(?<!^count)IfOrNull$/, 'OrNullIf')

const weighted = (of: CallSql, args: readonly Sql[], count: Sql): Sql => {
  const isIf = of.name.endsWith('If')
  const weigh = own(WEIGHED, isIf ? of.name.slice(0, -'If'.length) : of.name)
  if (!weigh)
    return {
      ...of,
      name: `${overArrays(of.name)}Array`,
      args: args.map((each) => call('arrayWithConstant', count, each)),
    }
  const [name, ...weighed] = weigh(args, count)
  return { ...of, name: isIf ? `${name}If` : name, args: isIf ? [...weighed, args.at(-1)!] : weighed }
}

/** Returns how a run computes an aggregate, whose arguments may read persons or groups. */
export const computedOf = (of: CallSql, readsJoined: (sql: Sql) => boolean): Computed => {
  const { name, args } = of
  if (!args.some(readsJoined))
    return { state: of, args: [], over: (_, state) => ({ ...of, name: mergeOf(name), args: [state!] }) }
  const values = args.slice(0, -1)
  if (name.endsWith('If') && !values.some(readsJoined)) {
    const state = { ...of, name: name.slice(0, -'If'.length), args: values }
    return {
      state,
      args: args.slice(-1),
      over: ([condition], merged) => ({ ...of, name: `${mergeOf(state.name)}If`, args: [merged!, condition!] }),
    }
  }
  const base = aggregateOf(name)!
  if (IGNORES_REPEATS.has(base) || name.includes('Distinct')) return { args, over: (read) => ({ ...of, args: read }) }
  return { state: COUNT, args, over: (read, count) => weighted(of, read, count!) }
}

import { AGGREGATES, COMBINATORS } from '../sql/functions.ts'

/**
 * Aggregates whose states, merged in any order, give what all rows at once give. `exact`: the rows alone decide the answer.
 * `any`: several answers are right, and two live runs may differ as well (ties, samples); they are not compared with live runs.
 */
export const MERGEABLE: Readonly<Record<string, 'exact' | 'any'>> = {
  count: 'exact',
  sum: 'exact',
  sumKahan: 'exact',
  sumWithOverflow: 'exact',
  avg: 'exact',
  avgWeighted: 'exact',
  min: 'exact',
  max: 'exact',
  uniq: 'exact',
  uniqExact: 'exact',
  uniqCombined: 'exact',
  uniqCombined64: 'exact',
  uniqHLL12: 'exact',
  medianExact: 'exact',
  quantileExact: 'exact',
  quantileExactLow: 'exact',
  quantileExactHigh: 'exact',
  quantileExactInclusive: 'exact',
  quantileExactWeighted: 'exact',
  quantilesExact: 'exact',
  stddevPop: 'exact',
  stddevSamp: 'exact',
  varPop: 'exact',
  varSamp: 'exact',
  covarPop: 'exact',
  covarSamp: 'exact',
  corr: 'exact',
  skewPop: 'exact',
  skewSamp: 'exact',
  kurtPop: 'exact',
  kurtSamp: 'exact',
  groupBitAnd: 'exact',
  groupBitOr: 'exact',
  groupBitXor: 'exact',
  groupBitmap: 'exact',
  entropy: 'exact',
  retention: 'exact',
  median: 'any',
  quantile: 'any',
  quantiles: 'any',
  medianTDigest: 'any',
  quantileTDigest: 'any',
  quantilesTDigest: 'any',
  quantileTiming: 'any',
  quantilesTiming: 'any',
  quantileBFloat16: 'any',
  argMin: 'any',
  argMax: 'any',
  any: 'any',
  groupArray: 'any',
  groupUniqArray: 'any',
}

/** The aggregate under a compiled function's name without its endings: `sum` of `sumIf`; `undefined` for other functions. */
export const aggregateOf = (name: string): string | undefined => {
  if (Object.hasOwn(AGGREGATES, name)) return name
  for (const ending of Object.keys(COMBINATORS)) {
    const base = name.endsWith(ending) ? aggregateOf(name.slice(0, -ending.length)) : undefined
    if (base) return base
  }
  return undefined
}

interface Parameter {
  /** Expected kind of argument: a kind of value, or a word such as `any`, `lambda` or `alike`. */
  readonly word: string
  readonly isOptional: boolean
  readonly isRepeated: boolean
}

/** A function's row in the catalog, parsed. */
export interface Signature {
  readonly takes: readonly Parameter[]
  /** The number of parameters in parentheses before the arguments, as in `quantile(0.5)(x)`. */
  readonly parameters?: Bounds
  readonly gives: string
  readonly nulls: 'passes' | 'never' | 'always'
}

export interface Bounds {
  readonly min: number
  readonly max: number
}

const parseWord = (written: string): Parameter => ({
  word: written.replace(/(\?|\.\.\.)$/, ''),
  isOptional: written.endsWith('?'),
  isRepeated: written.endsWith('...'),
})

/**
 * Returns how many arguments a signature takes. After an optional lambda its arrays are optional too: in `arraySort(list)` the list
 * takes the lambda's place.
 */
export const bounds = (takes: Signature['takes']): Bounds => ({
  min: takes.filter(
    ({ isOptional, isRepeated }, at) => !isOptional && !(isRepeated && takes[at - 1]?.word === 'lambda|array'),
  ).length,
  max: takes.some(({ isRepeated }) => isRepeated) ? Infinity : takes.length,
})

/** Parses a row of the catalog, such as `any array... -> array?`. */
export const parseSignature = (written: string): Signature => {
  const [left = '', right = ''] = written.split('->').map((side) => side.trim())
  const inner = /^\(([^)]*)\)\s*(.*)$/.exec(left)
  const words = (list: string) => list.split(' ').filter(Boolean).map(parseWord)
  return {
    takes: words(inner ? inner[2]! : left),
    ...(inner && { parameters: bounds(words(inner[1]!)) }),
    gives: right.replace(/[!?]$/, ''),
    nulls: right.endsWith('!') ? 'never' : right.endsWith('?') ? 'always' : 'passes',
  }
}

/**
 * Returns the signature's word for each of `count` arguments. Words after a repeated one match from the end, so that the condition of
 * an aggregate with `-If` is the last argument.
 */
export const wordsFor = (takes: Signature['takes'], count: number): readonly string[] => {
  const repeatAt = takes.findIndex(({ isRepeated }) => isRepeated)
  if (repeatAt >= 0) {
    const tail = takes.length - repeatAt - 1
    return Array.from(
      { length: count },
      (_, at) =>
        (at < repeatAt ? takes[at]! : at >= count - tail ? takes[takes.length - (count - at)]! : takes[repeatAt]!).word,
    )
  }
  const surplus = takes.length - count
  const optional = takes.map(({ isOptional }, at) => (isOptional ? at : -1)).filter((at) => at >= 0)
  const left = new Set(optional.slice(optional.length - surplus))
  return takes.filter((_, at) => !left.has(at)).map(({ word }) => word)
}

import { ApiError } from '../../lib/apiError.ts'
import type { StorageError } from '../../storage/storage.ts'
import type { ParsedQuery } from '../../sql/compile.ts'
import { type Position, rejectIn, type Span } from '../../sql/parse/queryError.ts'
import { own } from '../../lib/own.ts'

interface Explanation {
  readonly detail: string
  /** The name in the query that the error is about. */
  readonly culprit?: string
  readonly fix?: string
}

// The operators, by the engine's names of their functions.
const OPERATORS: Readonly<Record<string, string>> = {
  plus: '+',
  minus: '-',
  multiply: '*',
  divide: '/',
  modulo: '%',
  concat: '||',
}

const TYPE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(LowCardinality|Nullable)\(/, ''],
  [/String|Enum/, 'text'],
  [/Int|Float|Decimal/, 'a number'],
  [/^Date/, 'a time'],
  [/Array/, 'an array'],
  [/Bool/, 'a boolean'],
]

const wordFor = (engineType: string): string =>
  TYPE_WORDS.find(([pattern, word]) => word && pattern.test(engineType))?.[1] ?? 'a value of that type'

const wrongArgument = (message: string): Explanation | undefined => {
  const [, culprit] = /function (\w+)/.exec(message) ?? []
  if (!culprit) return undefined
  const [, type] = /Illegal types? (.+?) (?:and .+? )?of arguments? /.exec(message) ?? []
  const operator = own(OPERATORS, culprit)
  const name = operator ? `"${operator}"` : `${culprit}()`
  return {
    culprit,
    detail: type
      ? `${name} does not accept ${wordFor(type)} (${type})`
      : `${name} does not accept an argument of this type`,
    fix: `Convert it first: toFloat(…), toString(…) or toDateTime(…), depending on what ${name} accepts`,
  }
}

const notGrouped = (message: string): Explanation => {
  const culprit = /Column '(?:[^']*\.)?([^'.]+)'/i.exec(message)?.[1]
  return {
    ...(culprit ? { culprit } : {}),
    detail: `${culprit ? `'${culprit}'` : 'A column'} is neither in an aggregate function nor in GROUP BY`,
    fix: 'Add it to GROUP BY, or take one of its values with any(…)',
  }
}

/** Explanations of the engine's errors. Its messages contain the compiled SQL, so only names and types are taken from them. */
const EXPLANATIONS: Readonly<Record<string, (message: string) => Explanation | undefined>> = {
  ILLEGAL_TYPE_OF_ARGUMENT: wrongArgument,
  NUMBER_OF_ARGUMENTS_DOESNT_MATCH: wrongArgument,
  NOT_AN_AGGREGATE: notGrouped,
  ILLEGAL_AGGREGATION: () => ({
    detail: 'An aggregate function is used where none is allowed: in WHERE, in GROUP BY or in another aggregate',
    fix: 'Filter on aggregates with HAVING, and nest them through a subquery',
  }),
  NO_COMMON_TYPE: () => ({
    detail: 'Values of different types are used where all must have the same type',
    fix: 'Convert them to one type, for example with toString(…)',
  }),
  TYPE_MISMATCH: () => ({
    detail: 'A value has a type that is not allowed where it is used',
    fix: 'Convert it, for example with toFloat(…) or toString(…)',
  }),
}

const spansOf = (query: unknown, culprit: string): Span[] => {
  const wanted = culprit.toLowerCase()
  const found: Span[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { kind, name, path, rest, start, end } = node as Span & {
      kind?: string
      name?: { text?: string }
      path?: { text: string }[]
      rest?: { operator?: string }[]
    }
    const isIt =
      (kind === 'call' && name?.text?.toLowerCase() === wanted) ||
      (kind === 'field' && path?.at(-1)?.text.toLowerCase() === wanted) ||
      (kind === 'chain' && Boolean(rest?.some(({ operator }) => operator === own(OPERATORS, culprit))))
    if (isIt) found.push({ start, end })
    Object.values(node).forEach(visit)
  }
  visit(query)
  return found
}

// If the name occurs several times, the invalid one is unknown.
const placeOf = (parsed: ParsedQuery | undefined, culprit: string | undefined): Position | undefined => {
  const spans = parsed && culprit ? spansOf(parsed.query, culprit) : []
  return parsed && spans.length === 1 ? rejectIn(parsed.text)('type_mismatch', '', spans[0]!).position : undefined
}

/** Returns the API error for a query that the engine rejected: what is wrong and, if known, where and how to fix it. */
export const engineApiError = ({ engineCode, message }: StorageError, parsed: ParsedQuery | undefined): ApiError => {
  if (!engineCode) return new ApiError('query_failed')
  const code = engineCode.toLowerCase()
  const known = own(EXPLANATIONS, engineCode)?.(message)
  if (!known)
    return new ApiError('query_failed', {
      code,
      detail: `The engine rejected the query: ${engineCode}.`,
      attr: 'query',
    })
  const position = placeOf(parsed, known.culprit)
  return new ApiError('query_failed', {
    code,
    detail: `${known.detail}.`,
    attr: 'query',
    extra: { ...(position ? { position } : {}), ...(known.fix ? { fix: known.fix } : {}) },
  })
}

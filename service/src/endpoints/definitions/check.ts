import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Variable } from '../../storage/metadata/metadata.ts'
import { checkInsight, INSIGHT_KINDS, type InsightQuery, isInsight } from '../insights/insights.ts'
import { checkQuery, type ParsedQuery, parseQuery, QueryError } from '../../sql/compile.ts'

/** A SQL query as an endpoint keeps it. The keys of `variables` are the ids of definitions. */
export interface SqlQuery {
  readonly kind: 'HogQLQuery'
  readonly query: string
  readonly variables: Readonly<Record<string, { readonly variableId: string; readonly code_name: string }>>
}

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/

/** Throws `ApiError` unless `name` can be an endpoint's. */
export const checkName = (name: string) => {
  if (!NAME.test(name)) {
    throw new ApiError('invalid_input', {
      detail: 'A name begins with a letter and goes on with up to 127 letters, digits, _ and -.',
      attr: 'name',
    })
  }
}

/** A compiler's error as an answer: what, where, and what would be right. */
export const toApiError = (error: unknown): unknown =>
  error instanceof QueryError
    ? new ApiError('query_invalid', {
        code: error.code,
        detail: error.message,
        attr: 'query',
        extra: { ...(error.position ? { position: error.position } : {}), ...(error.fix ? { fix: error.fix } : {}) },
      })
    : error

/** `parseQuery`, with its errors as refusals. */
export const parse = (text: string): ParsedQuery => {
  try {
    return parseQuery(text)
  } catch (error) {
    throw toApiError(error)
  }
}

// The three messages are the specification's, to the letter; who is at fault follows.
const MESSAGES = {
  undefined_variables: 'Query references undefined variable(s)',
  malformed_variable_ids: 'Variable ID(s) not valid UUIDs',
  unknown_variable_ids: 'Variable ID(s) not found',
} as const

const refuse = (code: keyof typeof MESSAGES, culprits: readonly string[]) => {
  if (culprits.length) throw new ApiError(code, { detail: `${MESSAGES[code]}: ${culprits.join(', ')}`, attr: 'query' })
}

const idsOf = (map: Readonly<Record<string, unknown>>): string[] => {
  const named = Object.values(map).flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'variableId' in entry ? [String(entry.variableId)] : [],
  )
  return [...new Set([...Object.keys(map), ...named])]
}

/**
 * The query to keep, from what create or update was sent. Throws `ApiError`, checking in this order: kind, syntax, names of
 * variables, ids of variables, tables and functions. The kept map of variables holds exactly those of the text.
 */
export const checkQueryInput = (
  input: Readonly<Record<string, unknown>>,
  definitions: readonly Variable[],
): SqlQuery | InsightQuery => {
  if (isInsight(input)) {
    checkInsight(input)
    return input
  }
  const { kind, query: text, variables: map = {} } = input
  if (kind !== 'HogQLQuery')
    throw new ApiError('unsupported_kind', {
      detail: `"query.kind" is one of ${['HogQLQuery', ...INSIGHT_KINDS].join(', ')}.`,
      attr: 'query',
    })
  if (typeof text !== 'string' || !text.trim())
    throw new ApiError('invalid_input', { detail: '"query.query" is the text of a SQL query.', attr: 'query' })
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw new ApiError('invalid_input', {
      detail: '"query.variables" is an object whose keys are the ids of variables.',
      attr: 'query',
    })
  }

  const parsed = parse(text)
  const byCodeName = new Map(definitions.map((definition) => [definition.codeName, definition]))
  if (parsed.variables.length) {
    const ids = idsOf(map as Record<string, unknown>)
    const known = new Set(definitions.map(({ id }) => id))
    refuse(
      'undefined_variables',
      parsed.variables.filter((name) => !byCodeName.has(name)),
    )
    refuse(
      'malformed_variable_ids',
      ids.filter((id) => !isUuid(id)),
    )
    refuse(
      'unknown_variable_ids',
      ids.filter((id) => !known.has(id.toLowerCase())),
    )
  }
  try {
    checkQuery(parsed)
  } catch (error) {
    throw toApiError(error)
  }
  const variables = parsed.variables.map((name) => {
    const { id } = byCodeName.get(name)!
    return [id, { variableId: id, code_name: name }] as const
  })
  return { kind, query: text, variables: Object.fromEntries(variables) }
}

import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Variable } from '../../storage/metadata/metadata.ts'
import { checkInsight, INSIGHT_KINDS, type InsightQuery, isInsight } from '../insights/insights.ts'
import { checkQuery, type ParsedQuery, parseQuery, QueryError } from '../../sql/compile.ts'

/** A SQL query as stored with an endpoint. The keys of `variables` are ids of variable definitions. */
export interface SqlQuery {
  readonly kind: 'HogQLQuery'
  readonly query: string
  readonly variables: Readonly<Record<string, { readonly variableId: string; readonly code_name: string }>>
}

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/

/** Throws `ApiError` unless `name` is a valid endpoint name. */
export const checkName = (name: string) => {
  if (!NAME.test(name)) {
    throw new ApiError('invalid_input', {
      detail: 'A name must start with a letter, followed by up to 127 letters, digits, _ and -.',
      attr: 'name',
    })
  }
}

/** Returns the API error for a compiler error, and any other error as it is. */
export const toApiError = (error: unknown): unknown =>
  error instanceof QueryError
    ? new ApiError('query_invalid', {
        code: error.code,
        detail: error.message,
        attr: 'query',
        extra: { ...(error.position ? { position: error.position } : {}), ...(error.fix ? { fix: error.fix } : {}) },
      })
    : error

/** Parses a query. Throws `ApiError`. */
export const parse = (text: string): ParsedQuery => {
  try {
    return parseQuery(text)
  } catch (error) {
    throw toApiError(error)
  }
}

// The specification prescribes these three messages, followed by the names at fault.
const MESSAGES = {
  undefined_variables: 'Query references undefined variable(s)',
  malformed_variable_ids: 'Variable ID(s) not valid UUIDs',
  unknown_variable_ids: 'Variable ID(s) not found',
} as const

const reject = (code: keyof typeof MESSAGES, names: readonly string[]) => {
  if (names.length) throw new ApiError(code, { detail: `${MESSAGES[code]}: ${names.join(', ')}`, attr: 'query' })
}

const idsOf = (map: Readonly<Record<string, unknown>>): string[] => {
  const named = Object.values(map).flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'variableId' in entry ? [String(entry.variableId)] : [],
  )
  return [...new Set([...Object.keys(map), ...named])]
}

/**
 * Checks the query of a create or update request, and returns the query to store. Throws `ApiError`, checking in this order: kind, syntax,
 * names of variables, ids of variables, tables and functions. The stored map of variables has exactly those of the text.
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
      detail: `"query.kind" must be one of ${['HogQLQuery', ...INSIGHT_KINDS].join(', ')}.`,
      attr: 'query',
    })
  if (typeof text !== 'string' || !text.trim())
    throw new ApiError('invalid_input', { detail: '"query.query" must be a SQL query (string).', attr: 'query' })
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw new ApiError('invalid_input', {
      detail: '"query.variables" must be an object whose keys are ids of variables.',
      attr: 'query',
    })
  }

  const parsed = parse(text)
  const byCodeName = new Map(definitions.map((definition) => [definition.codeName, definition]))
  if (parsed.variables.length) {
    const ids = idsOf(map as Record<string, unknown>)
    const known = new Set(definitions.map(({ id }) => id))
    reject(
      'undefined_variables',
      parsed.variables.filter((name) => !byCodeName.has(name)),
    )
    reject(
      'malformed_variable_ids',
      ids.filter((id) => !isUuid(id)),
    )
    reject(
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

import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { ApiError } from '../../lib/apiError.ts'
import { own } from '../../lib/own.ts'

/** Returns the API error for one field of an insight query. `message`: the end of a sentence that begins with `"query.field"`. */
export const fieldError = (field: string, message: string): ApiError =>
  new ApiError('query_invalid', {
    detail: `"query.${field}" ${message}.`,
    attr: 'query',
    extra: { field: `query.${field}` },
  })

const nameOf = (path: string) => path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')

const wordsOf = (schema: TSchema): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return (schema.anyOf as TSchema[]).map(wordsOf).join(', ')
  const least = schema.minimum === undefined ? '' : ` from ${schema.minimum}`
  const most = schema.maximum === undefined ? '' : ` to ${schema.maximum}`
  const length = schema.maxLength === undefined ? '' : ` of ${schema.minLength ?? 0} to ${schema.maxLength} characters`
  const items = schema.maxItems === undefined ? '' : ` of ${schema.minItems ?? 0} to ${schema.maxItems} items`
  return `${own({ string: 'a string', number: 'a number', integer: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', null: 'null' }, schema.type as string) ?? 'something else'}${least}${most}${length}${items}`
}

const messageOf = ({ type, schema }: ValueError): string => {
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'is not a known field here. Omit it'
  if (type === ValueErrorType.ObjectRequiredProperty) return `is required: ${wordsOf(schema)}`
  return schema.anyOf ? `must be one of: ${wordsOf(schema)}` : `must be ${wordsOf(schema)}`
}

// A nullable field is a union, whose error does not say what is wrong inside.
const innermost = (error: ValueError): ValueError => {
  const [inner] =
    (error.schema.anyOf as TSchema[] | undefined)?.at(-1)?.type === 'null' && error.value !== null
      ? [error.errors[0]?.First()]
      : []
  return inner ? innermost(inner) : error
}

const errorsOf = (schema: TSchema, value: unknown) => [...Value.Errors(schema, value)].map(innermost)

/** Throws an `ApiError` that names the first invalid field and what it should be. */
export const checkShape = (schema: TSchema, value: unknown, at = ''): void => {
  const errors = errorsOf(schema, value)
  // Another kind has other fields, so it is reported first.
  const error = errors.find(({ path }) => path.endsWith('/kind')) ?? errors[0]
  if (error) throw fieldError([at, nameOf(error.path)].filter(Boolean).join('.'), messageOf(error))
}

import { Type } from '@sinclair/typebox'
import { explained, orElse, type QuerySchemas, required } from '../../src/http/query.ts'
import { readQuery } from '../../src/http/readQuery.ts'
import { oneOf } from '../../src/http/schemas.ts'
import type { ApiError } from '../../src/lib/apiError.ts'

const read = (schemas: QuerySchemas, query: string) => {
  const sent = new URLSearchParams(query)
  return readQuery(schemas, (name) => sent.getAll(name))
}
const failure = (schemas: QuerySchemas, query: string) => {
  try {
    return read(schemas, query)
  } catch (error) {
    const { attr, detail } = (error as ApiError).details
    return [attr, detail]
  }
}

const LIMIT = orElse(Type.Integer({ minimum: 1, maximum: 50 }), 10)

test.each<[string, QuerySchemas, string, Record<string, unknown>]>([
  ['an integer', { limit: LIMIT }, 'limit=7', { limit: 7 }],
  ['a default', { limit: LIMIT }, '', { limit: 10 }],
  ['a boolean', { on: Type.Boolean() }, 'on=false', { on: false }],
  ['an absent value', { on: Type.Boolean() }, 'other=1', { on: undefined }],
  ['the first of repeated values', { text: Type.String() }, 'text=a&text=b', { text: 'a' }],
  ['an empty text as absent', { text: Type.String() }, 'text=', { text: undefined }],
  ['a choice', { order: oneOf(['new', 'old']) }, 'order=old', { order: 'old' }],
  [
    'a list without empty values',
    { event: Type.Array(Type.String()) },
    'event=a&event=&event=b',
    { event: ['a', 'b'] },
  ],
  ['an empty list', { event: Type.Array(Type.String()) }, '', { event: [] }],
  [
    'a UUID in lower case',
    { id: Type.String({ format: 'uuid' }) },
    'id=01978000-0000-7000-8000-00000000000A',
    { id: '01978000-0000-7000-8000-00000000000a' },
  ],
])('reads %s', (_, schemas, query, values) => expect(read(schemas, query)).toEqual(values))

test.each<[string, QuerySchemas, string, [string, string]]>([
  [
    'a number that is not an integer',
    { limit: LIMIT },
    'limit=1.5',
    ['limit', '"limit" must be an integer from 1 to 50, got "1.5".'],
  ],
  [
    'an integer out of bounds',
    { limit: LIMIT },
    'limit=51',
    ['limit', '"limit" must be an integer from 1 to 50, got "51".'],
  ],
  [
    'an integer below the only bound',
    { from: Type.Integer({ minimum: 2 }) },
    'from=1',
    ['from', '"from" must be an integer of at least 2, got "1".'],
  ],
  [
    'another word than true or false',
    { on: Type.Boolean() },
    'on=yes',
    ['on', '"on" must be true or false, got "yes".'],
  ],
  ['another choice', { order: oneOf(['new', 'old']) }, 'order=x', ['order', '"order" must be one of new, old.']],
  [
    'a long text',
    { text: Type.String() },
    `text=${'a'.repeat(1_001)}`,
    ['text', '"text" may have at most 1,000 characters.'],
  ],
  [
    'a long list',
    { event: Type.Array(Type.String(), { maxItems: 1 }) },
    'event=a&event=b',
    ['event', 'Pass "event" at most 1 times.'],
  ],
  ['a missing value', { key: required(Type.String(), 'Pass "key".') }, 'key=', ['key', 'Pass "key".']],
  [
    'a value with its own message',
    { id: explained(Type.String({ format: 'uuid' }), 'Not an id.') },
    'id=1',
    ['id', 'Not an id.'],
  ],
])('rejects %s', (_, schemas, query, error) => expect(failure(schemas, query)).toEqual(error))

test('messages are no part of the OpenAPI document', () =>
  expect(JSON.parse(JSON.stringify(required(explained(LIMIT, 'x'), 'y')))).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 50,
    default: 10,
  }))

import { Kind, type TSchema } from '@sinclair/typebox'
import { ROUTES } from '../../src/modules.ts'

/** Returns the schema with closed objects, so that a field that the schema does not list is an error. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isObject = (schema as Partial<TSchema>)[Kind] === 'Object'
  return isObject ? { additionalProperties: false, ...copy } : copy
}

/** Returns the method and path of every route, and the schema of its JSON response if it documents one. */
export const responseSchemas = () =>
  ROUTES.map(({ method, path, response }) => ({
    method,
    path,
    ...(response ? { response: closed(response) as object } : {}),
  }))

import { Kind, type TSchema } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': (text: string) => TIME.test(text) } })

/** Returns the schema with closed objects, so that a field that the schema does not list is an error. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isObject = (schema as Partial<TSchema>)[Kind] === 'Object'
  return isObject ? { additionalProperties: false, ...copy } : copy
}

const toPattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}/?$`)

const parameters = ({ path }: Route) => path.split(':').length

/** All routes. Paths with fewer parameters come first, as in the router. */
const PATTERNS = ROUTES.map((route) => ({ route, pattern: toPattern(route.path) })).sort(
  (a, b) => parameters(a.route) - parameters(b.route),
)
const validators = new Map<Route, ValidateFunction>()

/**
 * Throws if the JSON body of a successful response does not match the `response` schema of its route. Routes without a
 * schema accept any body.
 */
export const checkResponse = (method: string, url: string, status: number, body: unknown): void => {
  if (status < 200 || status > 299 || status === 204) return
  const path = new URL(url).pathname.replace(/^\/api\/environments/, '/api/projects')
  const route = PATTERNS.find((each) => each.route.method === method && each.pattern.test(path))?.route
  if (!route?.response) return
  const validate = validators.get(route) ?? ajv.compile(closed(route.response) as object)
  validators.set(route, validate)
  if (!validate(body))
    throw new Error(
      `${method} ${route.path} responded with a body that does not match the "response" schema of the route: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 2_000)}`,
    )
}

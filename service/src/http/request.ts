import { ApiError } from '../lib/apiError.ts'
import type { Project } from '../storage/metadata/metadata.ts'
import type { RouteRequest, RouteResponse } from './route.ts'
import { own } from '../lib/own.ts'

/** For schemas of bodies that must not have other fields. */
export const CLOSED = { additionalProperties: false } as const

export const invalidInput = (attr: string, detail: string): ApiError => new ApiError('invalid_input', { attr, detail })

/** Returns the query parameter `name` as an integer within the bounds. Throws `ApiError` if it is anything else. */
export const integerParam = (
  { query }: Pick<RouteRequest, 'query'>,
  name: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
): number | undefined => {
  const input = own(query, name)
  if (input === undefined) return undefined
  const value = Number(input)
  if (/^\d{1,15}$/.test(input) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw invalidInput(name, `"${name}" must be an integer ${range}, got ${JSON.stringify(input)}.`)
}

/** Returns the query parameter `name` as a boolean. Throws `ApiError` if it is neither true nor false. */
export const booleanParam = ({ query }: Pick<RouteRequest, 'query'>, name: string): boolean | undefined => {
  const input = own(query, name)
  if (input === undefined) return undefined
  if (input === 'true' || input === 'false') return input === 'true'
  throw invalidInput(name, `"${name}" must be true or false, got ${JSON.stringify(input)}.`)
}

/** Returns a response with all results on one page. */
export const page = (results: readonly unknown[]): RouteResponse => ({
  body: { count: results.length, next: null, previous: null, results },
})

/** Throws `ApiError` if the body of a creating PUT and the URL name different objects. */
export const assertNameOfUrl = (attr: string, what: string, inBody: string | undefined, inUrl: string): void => {
  if (inBody === undefined || inBody === inUrl) return
  throw invalidInput(
    attr,
    `"${attr}" is "${inBody}", but the URL names the new ${what} "${inUrl}". Leave "${attr}" out, or use the same one.`,
  )
}

/** Finds the project of a public token. */
export type ProjectByToken = (token: string) => Promise<Project | undefined>

/** Finds the project of a public token. Throws `ApiError` if there is none. */
export const requireProject = async (
  { projectByToken }: { readonly projectByToken: ProjectByToken },
  token: unknown,
): Promise<Project> => {
  const project = typeof token === 'string' && token ? await projectByToken(token) : undefined
  if (!project) throw new ApiError('invalid_token')
  return project
}

/** Returns the body of an event or flags request. Old SDKs send GETs, or empty POSTs, with the body in `?data=`. */
export const publicBody = ({ body, query }: RouteRequest<Buffer | undefined>): Buffer =>
  body?.length || query.data === undefined ? (body ?? Buffer.alloc(0)) : Buffer.from(query.data)

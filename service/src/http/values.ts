import type { FastifyRequest } from 'fastify'

/** Returns the strings in a parameter of a query or in a header. */
export const stringsOf = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string')

/** Returns the first value of a parameter or a header. */
export const firstOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? firstOf(value[0]) : typeof value === 'string' ? value : undefined

/** Returns the project id in the path of a request. `undefined`: the path has no project, or its text is not an id. */
export const projectIdOf = (request: FastifyRequest): number | undefined => {
  const { projectId } = request.params as { projectId?: string }
  return projectId && /^[1-9]\d{0,8}$/.test(projectId) ? Number(projectId) : undefined
}

import { ApiError } from '../lib/apiError.ts'
import type { NextStep } from '../lib/timeSlices.ts'
import type { Project } from '../storage/metadata/metadata.ts'
import { tokensIn } from './tokens.ts'

/** Finds a project by its token. */
export type ProjectByToken = (token: string) => Promise<Project | undefined>

/**
 * Returns the ids of the projects in a delivery by token, without parsing it. `queryToken`: the query parameter `token`.
 * Throws `ApiError` if there are none.
 */
export const findProjects = async (
  bytes: Buffer,
  queryToken: string | undefined,
  projectByToken: ProjectByToken,
  next: NextStep,
): Promise<ReadonlyMap<string, number>> => {
  const tokens = [...new Set([...(await tokensIn(bytes, next)), ...(queryToken ? [queryToken] : [])])]
  const ids = new Map<string, number>()
  for (const token of tokens) {
    const turn = next()
    if (turn) await turn
    const project = await projectByToken(token)
    if (project) ids.set(token, project.id)
  }
  if (ids.size) return ids
  throw new ApiError(
    'invalid_token',
    tokens.length
      ? {}
      : { detail: 'The request has no project token. Send it as "api_key", in "properties.token" or as ?token=.' },
  )
}

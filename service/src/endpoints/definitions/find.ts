import { ApiError } from '../../lib/apiError.ts'
import type { Endpoint, EndpointVersion, Metadata } from '../../storage/metadata/metadata.ts'

/** Returns a project's endpoint by name. Rejects with `ApiError` if there is none. */
export const findEndpoint = async (
  { endpoints }: Pick<Metadata, 'endpoints'>,
  projectId: number,
  name: string,
): Promise<Endpoint> => {
  const found = await endpoints.get(projectId, name)
  if (!found) throw new ApiError('not_found', { detail: 'This project has no endpoint with this name.' })
  return found
}

/** Returns a version of an endpoint, by default the current one. Rejects with `ApiError` if there is none. */
export const findVersion = async (
  { endpoints }: Pick<Metadata, 'endpoints'>,
  endpoint: Endpoint,
  wanted = endpoint.currentVersion,
): Promise<EndpointVersion> => {
  const found = await endpoints.version(endpoint.id, wanted)
  if (!found) {
    throw new ApiError('version_not_found', {
      detail: `This endpoint has no version ${wanted}. Its current version is ${endpoint.currentVersion}.`,
      attr: 'version',
      extra: { current_version: endpoint.currentVersion },
    })
  }
  return found
}

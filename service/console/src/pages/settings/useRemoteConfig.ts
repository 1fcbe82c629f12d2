import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'

export const CONFIG_PATH = '/api/projects/{projectId}/remote_config'
export type RemoteConfig = ResponseOf<typeof CONFIG_PATH, 'get'>

/** Loads the settings that the project's sites read from the service. */
export const useRemoteConfig = (): Loaded<RemoteConfig> => {
  const { id } = useProject()
  return useLoad(`remote config ${id}`, ({ signal }) => dataOf(api.GET(CONFIG_PATH, { params: inProject(id), signal })))
}

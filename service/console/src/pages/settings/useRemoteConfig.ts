import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { patchBetween } from '../../lib/patchBetween.ts'
import { useProject } from '../../project.ts'

const CONFIG_PATH = '/api/projects/{projectId}/remote_config'
export type RemoteConfig = ResponseOf<typeof CONFIG_PATH, 'get'>

/** Saves some of the settings: each as a whole, without what was `saved` of it before. */
export const saveConfig = (projectId: number, saved: RemoteConfig, changes: Partial<RemoteConfig>) => {
  const before = Object.fromEntries(Object.entries(saved).filter(([name]) => name in changes))
  const body = patchBetween(before, changes) as Partial<RemoteConfig>
  return dataOf(api.PATCH(CONFIG_PATH, { params: inProject(projectId), body }))
}

/** Loads the settings that the project's sites read from the service. */
export const useRemoteConfig = (): Loaded<RemoteConfig> => {
  const { id } = useProject()
  return useLoad(`remote config ${id}`, ({ signal }) => dataOf(api.GET(CONFIG_PATH, { params: inProject(id), signal })))
}

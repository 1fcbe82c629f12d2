import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import { inProject, type ResponseOf } from '../api/inProject.ts'
import { useProject } from '../project.ts'
import { type Loaded, useLoad } from './useLoad.ts'

/** When a project first received each kind of event. */
export type Setup = ResponseOf<'/api/projects/{projectId}/setup', 'get'>

const EVERY_MS = 2_000

/** Whether a project has received a pageview or a custom event. */
export const hasEvents = (setup: Setup): boolean => Boolean(setup.first_pageview_at ?? setup.first_custom_event_at)

const isComplete = (setup: Setup): boolean =>
  Boolean(
    setup.first_pageview_at && setup.first_custom_event_at && setup.first_identify_at && setup.first_flag_evaluation_at,
  )

/** Loads how far a project is set up. With `isPolled`, again every two seconds while the page is visible, until all is done. */
export const useSetup = ({ isPolled = false } = {}): Loaded<Setup> => {
  const { id } = useProject()
  const loaded = useLoad(`setup ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/setup', { params: inProject(id), signal })),
  )
  const isWaiting = isPolled && !(loaded.data && isComplete(loaded.data))
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => document.visibilityState === 'visible' && loaded.reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [isWaiting, loaded.reload])
  return loaded
}

import { signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type LinkParameters, linkTo } from './router.ts'

/** A project as the console's pages need it. */
export interface Project {
  readonly id: number
  readonly name: string
  /** Public token, which sites send their events with. */
  readonly token: string
  /** IANA name. Queries count days in this zone, and times are shown in it. */
  readonly timezone: string
}

const ProjectContext = createContext<Project | undefined>(undefined)
export const ProjectProvider = ProjectContext.Provider

/** The project of the shown page. */
export const useProject = (): Project => {
  const project = useContext(ProjectContext)
  if (!project) throw new Error('useProject() needs a page of a project.')
  return project
}

/** Returns a function that links to pages of the current project, such as `people/5`. */
export const useLink = (): ((to: string, parameters?: LinkParameters) => string) => {
  const { id } = useProject()
  return (to, parameters) => linkTo(`projects/${id}/${to}`, parameters)
}

/** Increases when a project has been changed, so that the shell loads the projects again. */
export const projectChanges = signal(0)

import type { paths } from './schema.d.ts'

/** Path parameters of the API's routes below a project. */
export const inProject = (projectId: number): { readonly path: { readonly projectId: string } } => ({
  path: { projectId: String(projectId) },
})

/** Path parameters of a resource of a project, such as a flag. */
export const inProjectWithId = (
  projectId: number,
  id: string | number,
): { readonly path: { readonly projectId: string; readonly id: string } } => ({
  path: { projectId: String(projectId), id: String(id) },
})

/** Body of a route's successful response, such as `ResponseOf<'/api/projects', 'get'>`. */
export type ResponseOf<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  responses: { '2XX': { content: { 'application/json': infer Body } } }
}
  ? Body
  : never

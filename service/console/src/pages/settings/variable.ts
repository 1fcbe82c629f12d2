import type { ResponseOf } from '../../api/inProject.ts'

/** A variable as the API returns it. */
export type Variable = ResponseOf<'/api/projects/{projectId}/insight_variables', 'get'>['results'][number]

import type { ResponseOf } from '../../api/inProject.ts'

/** Result of testing a flag for one person. */
export type FlagTest = ResponseOf<'/api/projects/{projectId}/feature_flags/test', 'post'>

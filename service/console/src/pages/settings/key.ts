import type { ResponseOf } from '../../api/inProject.ts'

/** A key as the API returns it. */
export type Key = ResponseOf<'/api/personal_api_keys', 'get'>['results'][number]

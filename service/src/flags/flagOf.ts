import { ApiError } from '../lib/apiError.ts'
import type { FlagDefinitions, FlagDraft } from './definitions.ts'
import type { Flag } from './evaluate.ts'

/** Id or key of a flag, or an unsaved definition. */
export type WantedFlag = number | string | FlagDraft

/** Creates a function that returns a flag. It rejects with `ApiError`. */
export const createFlagOf =
  (definitions: Pick<FlagDefinitions, 'byKey' | 'draft'>) =>
  async (projectId: number, wanted: WantedFlag): Promise<Flag> => {
    if (typeof wanted === 'object') return definitions.draft(projectId, wanted)
    const all = await definitions.byKey(projectId)
    const flag = typeof wanted === 'string' ? all.get(wanted) : [...all.values()].find(({ id }) => id === wanted)
    if (!flag)
      throw new ApiError('not_found', {
        attr: 'flag',
        detail: `This project has no feature flag with this ${typeof wanted === 'string' ? 'key' : 'id'}.`,
      })
    return flag
  }

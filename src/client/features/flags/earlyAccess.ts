import { apiHost } from '../../../delivery/hosts'
import { guarded } from '../../../lib/guard'
import { isPlainObject } from '../../../lib/json'
import type { EarlyAccessFeature, FlagValue } from '../../../types'
import type { Context } from '../../createContext'
import type { Client } from '../../feature'

/** Early access features: their list, and enrollment in one. `get` requests a JSON object from the service. */
export const earlyAccess = (
  { config, token, store }: Context,
  capture: Client['capture'],
  get: (url: string) => Promise<Record<string, unknown> | undefined>,
  updateFlags: (flags: Record<string, FlagValue>, payloads: undefined, options: { merge: true }) => void,
) => {
  const stored = () => store.get<EarlyAccessFeature[]>('$early_access_features')?.filter(isPlainObject)
  return {
    updateEarlyAccessFeatureEnrollment: (key: string, isEnrolled: boolean, stage?: string): void => {
      updateFlags({ [key]: isEnrolled }, undefined, { merge: true })
      capture(
        '$feature_enrollment_update',
        {
          $feature_flag: key,
          $feature_enrollment: isEnrolled,
          $feature_enrollment_stage: stage,
          $early_access_feature_name: stored()?.find(({ flagKey }) => flagKey === key)?.name,
        },
        { $set: { [`$feature_enrollment/${key}`]: isEnrolled } },
      )
    },
    getEarlyAccessFeatures: async (
      callback: (features: EarlyAccessFeature[]) => void,
      forceReload = false,
      stages: string[] = ['beta'],
    ): Promise<void> => {
      if (!stored() || forceReload) {
        const query = [
          `token=${encodeURIComponent(token)}`,
          ...stages.map((each) => `stage=${encodeURIComponent(each)}`),
        ]
        const body = await get(`${apiHost(config)}/api/early_access_features/?${query.join('&')}`)
        // Stored only if the response has it, because a stored list is not requested again.
        if (Array.isArray(body?.earlyAccessFeatures)) store.set({ $early_access_features: body.earlyAccessFeatures })
      }
      guarded(() => callback(stored() ?? []))
    },
  }
}

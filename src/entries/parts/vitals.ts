import { vitals as row } from '../../client/features/vitals'
import type { Feature } from '../../client/feature'

export const vitals: Feature = {
  ...row,
  extensions: ['webVitals', 'webVitalsAttribution'],
  importExtension: (name) =>
    name === 'webVitals'
      ? import('../../extensions/webVitals/webVitals')
      : import('../../extensions/webVitalsAttribution/webVitalsAttribution'),
}

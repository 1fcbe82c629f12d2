import { vitals as row } from '../../client/features/vitals/vitals'
import type { Feature } from '../../client/feature'

export const vitals: Feature = {
  ...row,
  imports: {
    webVitals: () => import('../../extensions/webVitals/webVitals'),
    webVitalsAttribution: () => import('../../extensions/webVitalsAttribution/webVitalsAttribution'),
  },
}

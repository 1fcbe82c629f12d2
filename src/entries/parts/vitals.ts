import { vitals as row } from '../../client/features/vitals/vitals'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const vitals: Feature = {
  ...row,
  runFeatures,
  imports: {
    webVitals: () => import('../../extensions/webVitals/webVitals'),
    webVitalsAttribution: () => import('../../extensions/webVitalsAttribution/webVitalsAttribution'),
  },
}

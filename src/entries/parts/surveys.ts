import { surveys as row } from '../../client/features/surveys/surveys'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const surveys: Feature = {
  ...row,
  runFeatures,
  imports: {
    surveys: () => import('../../extensions/surveys/surveys'),
    surveysView: () => import('../../extensions/surveysView/surveysView'),
    surveysHtml: () => import('../../extensions/surveysHtml/surveysHtml'),
  },
}

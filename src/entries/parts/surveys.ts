import { surveys as row } from '../../client/features/surveys/surveys'
import type { Feature } from '../../client/feature'

export const surveys: Feature = {
  ...row,
  imports: {
    surveys: () => import('../../extensions/surveys/surveys'),
    surveysView: () => import('../../extensions/surveysView/surveysView'),
    surveysHtml: () => import('../../extensions/surveysHtml/surveysHtml'),
  },
}

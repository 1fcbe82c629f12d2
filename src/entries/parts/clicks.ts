import { clicks as row } from '../../client/features/clicks/clicks'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const clicks: Feature = {
  ...row,
  runFeatures,
  importExtension: () => import('../../extensions/clicks/clicks'),
}

import { heatmaps as row } from '../../client/features/heatmaps/heatmaps'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const heatmaps: Feature = {
  ...row,
  runFeatures,
  importExtension: () => import('../../extensions/heatmaps/heatmaps'),
}

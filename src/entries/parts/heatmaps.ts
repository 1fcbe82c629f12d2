import { heatmaps as row } from '../../client/features/heatmaps/heatmaps'
import type { Feature } from '../../client/feature'

export const heatmaps: Feature = {
  ...row,
  importExtension: () => import('../../extensions/heatmaps/heatmaps'),
}

import { toolbar as row } from '../../client/features/toolbar/toolbar'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const toolbar: Feature = {
  ...row,
  runFeatures,
  importExtension: () => import('../../extensions/toolbar/toolbar'),
}

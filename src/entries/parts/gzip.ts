import { gzip as row } from '../../client/features/gzip/gzip'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const gzip: Feature = {
  ...row,
  runFeatures,
  importExtension: () => import('../../extensions/gzip/gzip'),
}

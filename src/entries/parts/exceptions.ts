import { exceptions as row } from '../../client/features/exceptions/exceptions'
import type { Feature } from '../../client/feature'
import { runFeatures } from '../../client/runFeatures'

export const exceptions: Feature = {
  ...row,
  runFeatures,
  importExtension: () => import('../../extensions/exceptions/exceptions'),
}

import { exceptions as row } from '../../client/features/exceptions/exceptions'
import type { Feature } from '../../client/feature'

export const exceptions: Feature = {
  ...row,
  importExtension: () => import('../../extensions/exceptions/exceptions'),
}

import { gzip as row } from '../../client/features/gzip/gzip'
import type { Feature } from '../../client/feature'

export const gzip: Feature = {
  ...row,
  importExtension: () => import('../../extensions/gzip/gzip'),
}

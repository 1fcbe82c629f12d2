import { clicks as row } from '../../client/features/clicks'
import type { Feature } from '../../client/feature'

export const clicks: Feature = {
  ...row,
  importExtension: () => import('../../extensions/clicks/clicks'),
}

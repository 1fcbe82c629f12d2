import { clicks as row } from '../../client/features/clicks/clicks'
import type { Feature } from '../../client/feature'

export const clicks: Feature = {
  ...row,
  importExtension: () => import('../../extensions/clicks/clicks'),
}

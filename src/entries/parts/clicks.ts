import { clicks as row } from '../../client/features/clicks'
import type { Feature } from '../../client/feature'
import type { Extension } from '../../extensions/contract'

export const clicks: Feature = {
  ...row,
  importExtension: () => import('../../extensions/clicks/clicks') as Promise<Extension>,
}

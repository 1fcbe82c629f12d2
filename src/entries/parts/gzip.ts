import { gzip as row } from '../../client/features/gzip'
import type { Feature } from '../../client/feature'
import type { Extension } from '../../extensions/contract'

export const gzip: Feature = {
  ...row,
  importExtension: () => import('../../extensions/gzip/gzip') as Promise<Extension>,
}

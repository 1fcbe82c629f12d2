import { durable as row } from '../../client/features/durable/durable'
import type { Feature } from '../../client/feature'

export const durable: Feature = {
  ...row,
  imports: { database: () => import('../../extensions/database/database') },
}

import { toolbar as row } from '../../client/features/toolbar/toolbar'
import type { Feature } from '../../client/feature'

export const toolbar: Feature = { ...row, importExtension: () => import('../../extensions/toolbar/toolbar') }

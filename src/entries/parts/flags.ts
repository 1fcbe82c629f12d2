import { flags as row } from '../../client/features/flags/flags'
import type { Feature } from '../../client/feature'
import { serverFlags } from '../../client/serverFlags'

export const flags: Feature = { ...row, onServer: serverFlags }

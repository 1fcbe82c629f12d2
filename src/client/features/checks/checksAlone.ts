import { checked } from '../../../config/checks'
import type { Feature } from '../../feature'
import { withMissing } from '../../missingOptions'
import { checks as row } from './checks'

/** Checks for builds that may lack parts: they name the import that an option needs. */
export const checks: Feature = { ...row, provides: { check: withMissing(checked) } }

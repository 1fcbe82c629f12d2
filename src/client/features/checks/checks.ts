import { checked } from '../../../config/checks'
import { MEMBERS } from '../../../config/options'
import type { Feature } from '../../feature'

/** Checks options and their members, and explains in the console what is wrong with them. */
export const checks: Feature = { name: 'checks', members: MEMBERS, provides: { check: checked } }

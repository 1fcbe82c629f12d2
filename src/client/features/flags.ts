import { connectFlags } from '../connectFlags'
import type { Feature } from '../feature'

/** Feature flags, early access features, and what the service turns on and off. */
export const flags: Feature = { name: 'flags', connect: connectFlags }

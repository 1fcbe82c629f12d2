import { createAttribution } from '../../state/attribution'
import type { Feature } from '../feature'

/** Adds to each event where the visitor and the session came from: campaign, referrer, entry page. */
export const campaign: Feature = { name: 'campaign', provides: { createAttribution } }

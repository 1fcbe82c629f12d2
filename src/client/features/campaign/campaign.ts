import { ON, STRINGS } from '../../../config/options'
import { createAttribution } from '../../../state/attribution'
import type { Feature } from '../../feature'

/** Adds to each event where the visitor and the session came from: campaign, referrer, entry page. */
export const campaign = {
  name: 'campaign',
  options: {
    save_campaign_params: ON,
    save_referrer: ON,
    custom_campaign_params: [[], STRINGS],
  },
  provides: { createAttribution },
} satisfies Feature

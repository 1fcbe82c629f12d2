import { OFF, ON, STRINGS, TEN_STRINGS } from '../../config/options'
import { startClicks } from '../../sources/clicks'
import type { Feature } from '../feature'

/** Captures rage clicks and dead clicks. */
export const clicks = {
  name: 'clicks',
  options: {
    rageclick: [true, 'boolean | object'],
    capture_dead_clicks: ON,
    mask_all_text: OFF,
    mask_all_element_attributes: OFF,
  },
  members: {
    rageclick: {
      css_selector_ignorelist: STRINGS,
      content_ignorelist: `boolean | ${TEN_STRINGS}`,
      threshold_px: 'number',
      click_count: 'integer',
      timeout_ms: 'number',
    },
  },
  connect: ({ context: { config } }) => ({
    runs: {
      wanted: () => config.rageclick || config.capture_dead_clicks,
      start: (host) => startClicks(host, (parts, onFailure) => host.startExtension('clicks', parts, onFailure)),
    },
  }),
} satisfies Feature

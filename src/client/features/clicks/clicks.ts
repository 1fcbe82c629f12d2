import { OFF, STRINGS, TEN_STRINGS } from '../../../config/options'
import { startClicks } from '../../../sources/clicks'
import type { Feature } from '../../feature'

/** Captures rage clicks, dead clicks and dead swipes. */
export const clicks = {
  name: 'clicks',
  options: {
    rageclick: [true, 'boolean | object'],
    capture_dead_clicks: [true, 'boolean | object'],
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
    capture_dead_clicks: {
      capture_dead_swipes: 'boolean',
      swipe_threshold_px: 'number',
      max_dead_swipes_per_page_load: 'integer',
    },
  },
  connect: ({ context: { config } }) => ({
    runs: {
      wanted: () => config.rageclick || config.capture_dead_clicks,
      start: (host) => startClicks(host, (parts, onFailure) => host.startExtension('clicks', parts, onFailure)),
    },
  }),
} satisfies Feature

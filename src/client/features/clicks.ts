import { STRINGS, TEN_STRINGS } from '../../config/options'
import { startClicks } from '../../sources/clicks'
import type { Feature } from '../feature'

/** Captures rage clicks and dead clicks. */
export const clicks: Feature = {
  name: 'clicks',
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
}

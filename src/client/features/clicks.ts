import { startClicks } from '../../sources/clicks'
import type { Feature } from '../feature'

/** Captures rage clicks and dead clicks. */
export const clicks: Feature = {
  name: 'clicks',
  connect: ({ context: { config } }) => ({
    runs: {
      wanted: () => config.rageclick || config.capture_dead_clicks,
      start: (host) => startClicks(host, (parts, onFailure) => host.startExtension('clicks', parts, onFailure)),
    },
  }),
}

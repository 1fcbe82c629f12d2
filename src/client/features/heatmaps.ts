import { createListeners } from '../../lib/listeners'
import type { CapturedEvent } from '../../types'
import type { Feature } from '../feature'

/** Captures clicks, mouse moves and scroll depth for heatmaps. */
export const heatmaps: Feature = {
  name: 'heatmaps',
  connect: ({ context: { config, remote } }) => {
    const captured = createListeners<[CapturedEvent]>()
    return {
      onCapture: captured.emit,
      runs: {
        wanted: () => config.capture_heatmaps ?? config.enable_heatmaps ?? remote.items.heatmaps,
        start: (host) => host.startExtension('heatmaps', { onCapture: captured.add }),
      },
    }
  },
}

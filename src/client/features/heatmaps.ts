import { isBoolean } from '../../lib/json'
import { onNavigate } from '../../browser/navigation'
import { onPageRestored } from '../../browser/pageExit'
import { listen } from '../../browser/signal'
import { typing } from '../../browser/typing'
import { outgoingUrl } from '../../lib/campaign'
import { createListeners } from '../../lib/listeners'
import { uuidv7 } from '../../lib/uuid'
import type { CapturedEvent } from '../../types'
import type { Feature } from '../feature'

/** Captures clicks, mouse moves and scroll depth for heatmaps. */
export const heatmaps = {
  name: 'heatmaps',
  options: {
    enable_heatmaps: [undefined, 'boolean'],
    capture_heatmaps: [undefined, 'boolean | object'],
  },
  remote: { heatmaps: [isBoolean] },
  members: { capture_heatmaps: { flush_interval_milliseconds: 'number' } },
  connect: ({ context: { config, remote } }) => {
    const captured = createListeners<[CapturedEvent]>()
    return {
      onCapture: captured.emit,
      runs: {
        wanted: () => config.capture_heatmaps ?? config.enable_heatmaps ?? remote.items.heatmaps,
        start: (host) =>
          host.startExtension('heatmaps', {
            onCapture: captured.add,
            onNavigate,
            onPageRestored,
            listen,
            uuidv7,
            outgoingUrl: (url: string) => outgoingUrl(url, config),
            typing,
          }),
      },
    }
  },
} satisfies Feature

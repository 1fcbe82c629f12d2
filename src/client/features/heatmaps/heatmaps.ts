import { isBoolean } from '../../../lib/json'
import { onNavigate } from '../../../browser/navigation'
import { onPageRestored } from '../../../browser/pageExit'
import { typing } from '../../../browser/typing'
import type { Feature } from '../../feature'
import { linkTo } from '../../late'

/** Captures clicks, mouse moves and scroll depth for heatmaps. */
export const heatmaps = {
  name: 'heatmaps',
  options: {
    enable_heatmaps: [undefined, 'boolean'],
    capture_heatmaps: [undefined, 'boolean | object'],
  },
  remote: { heatmaps: [isBoolean] },
  members: { capture_heatmaps: { flush_interval_milliseconds: 'number' } },
  connect: (client) => {
    const { config, remote } = client.context
    return {
      runs: {
        wanted: () => config.capture_heatmaps ?? config.enable_heatmaps ?? remote.items.heatmaps,
        start: (host) => host.startExtension('heatmaps', { link: linkTo(client), onNavigate, onPageRestored, typing }),
      },
    }
  },
} satisfies Feature

import { isBoolean } from '../../../lib/json'
import { OFF, STRINGS } from '../../../config/options'
import { startAutocapture } from '../../../sources/autocapture/startAutocapture'
import type { Feature } from '../../feature'

/** Captures clicks, changes of fields and submits. */
export const autocapture = {
  name: 'autocapture',
  options: {
    autocapture: [true, 'boolean | object'],
    mask_all_text: OFF,
    mask_all_element_attributes: OFF,
  },
  remote: { autocapture_opt_out: [isBoolean, '$autocapture_disabled_server_side'] },
  members: {
    autocapture: {
      url_allowlist: 'array',
      dom_event_allowlist: STRINGS,
      element_allowlist: STRINGS,
      css_selector_allowlist: STRINGS,
      element_attribute_ignorelist: STRINGS,
      capture_copied_text: 'boolean',
    },
  },
  connect: ({ context: { config, remote }, delivery: { queue }, captureLater, captureDelayed }) => {
    const mayRun = () => !config.advanced_disable_flags && !remote.items.autocapture_opt_out
    remote.onChange(() => {
      if (mayRun()) return
      captureDelayed()
      queue.clear('turned_off_by_service', ({ event }) => event === '$autocapture' || event === '$copy_autocapture')
    })
    return {
      runs: {
        wanted: () => config.autocapture && mayRun(),
        start: () => startAutocapture({ config, captureLater }),
      },
    }
  },
} satisfies Feature

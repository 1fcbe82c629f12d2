import { isToggle } from '../../../lib/json'
import { accepts } from '../../../config/accepts'
import { STRINGS } from '../../../config/options'
import { typing } from '../../../browser/typing'
import { guarded } from '../../../lib/guard'
import { own, pick } from '../../../lib/objects'
import type { PerformanceConfig } from '../../../types'
import type { Feature } from '../../feature'

/** Types of the members of `capture_performance`. The project setting has the same members. */
const MEMBERS = {
  web_vitals: 'boolean',
  web_vitals_allowed_metrics: STRINGS,
  web_vitals_attribution: 'boolean',
  web_vitals_delayed_flush_ms: 'number',
  __web_vitals_max_value: 'number',
  network_timing: 'boolean',
}

/** Returns the members that have a value of their type. */
const toSettings = (value: boolean | PerformanceConfig | null | undefined): PerformanceConfig =>
  pick({ ...(typeof value === 'object' ? value : { web_vitals: value }) }, (name, each) =>
    accepts(own(MEMBERS, name) ?? '', each),
  )

/** Captures web vitals. */
export const vitals = {
  name: 'vitals',
  options: {
    capture_performance: [undefined, 'boolean | object'],
  },
  remote: { capturePerformance: [isToggle] },
  members: { capture_performance: MEMBERS },
  connect: ({ context: { config, remote } }) => {
    const settings = (): PerformanceConfig => ({
      ...toSettings(remote.items.capturePerformance),
      ...toSettings(config.capture_performance),
    })
    return {
      runs: {
        // Pages of files and of browser extensions have no comparable values. The library needs newer browsers than the SDK.
        wanted: () => settings().web_vitals && /^http/.test(location.protocol) && 'findLast' in [],
        settings: () => settings().web_vitals_attribution,
        start: (host) =>
          host.startExtension(settings().web_vitals_attribution ? 'webVitalsAttribution' : 'webVitals', {
            settings,
            guarded,
            typing,
          }),
      },
    }
  },
} satisfies Feature

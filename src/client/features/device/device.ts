import { OFF } from '../../../config/options'
import { readDevice } from '../../../browser/device'
import type { Feature } from '../../feature'

/** Adds browser, system, device, language and time zone to each event. */
export const device = {
  name: 'device',
  options: {
    detect_google_search_app: OFF,
  },
  provides: { readDevice },
} satisfies Feature

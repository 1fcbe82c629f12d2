import { readDevice } from '../../browser/device'
import type { Feature } from '../feature'

/** Adds browser, system, device, language and time zone to each event. */
export const device: Feature = { name: 'device', provides: { readDevice } }

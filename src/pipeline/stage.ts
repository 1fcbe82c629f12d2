import type { Moment } from '../lib/moment'
import type { CapturedEvent, CaptureOptions, DropReason, Properties } from '../types'

export interface Drop {
  drop: DropReason
}

/**
 * The moment of an event that is captured later. Without layers, the event counts as the current visitor's. `isPast`:
 * whether it belongs to a previous person of this page.
 */
export type Then = Partial<Moment> & { isPast?: boolean }

/** A step of the pipeline: changes the event in place and returns it, or a replacement, or the reason why it is dropped. */
export type Stage = (event: CapturedEvent, options: CaptureOptions, then?: Then) => CapturedEvent | Drop

/** Sets properties and overwrites those of the event: the SDK's own values win. */
export const withProperties = (event: CapturedEvent, properties: Readonly<Properties>): CapturedEvent => {
  Object.assign(event.properties, properties)
  return event
}

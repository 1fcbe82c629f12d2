import type { CapturedEvent, CaptureOptions, DropReason, Properties } from '../types'

export interface Drop {
  drop: DropReason
}

/** One step of an event's way: the event, changed or not, or the reason why it ends here. */
export type Stage = (event: CapturedEvent, options: CaptureOptions) => CapturedEvent | Drop

/** The event with `properties` under its own: what it already says stands. */
export const withDefaults = (event: CapturedEvent, properties: Properties): CapturedEvent => ({
  ...event,
  properties: { ...properties, ...event.properties },
})

/** The event with `properties` over its own: the SDK knows better. */
export const withProperties = (event: CapturedEvent, properties: Properties): CapturedEvent => ({
  ...event,
  properties: { ...event.properties, ...properties },
})

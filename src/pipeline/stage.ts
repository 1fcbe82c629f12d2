import { has } from '../lib/objects'
import type { CapturedEvent, CaptureOptions, DropReason, Properties } from '../types'

export interface Drop {
  drop: DropReason
}

/** One step of an event's way: changes the event and returns it, or another in its place, or the reason why it ends here. */
export type Stage = (event: CapturedEvent, options: CaptureOptions) => CapturedEvent | Drop

/** Sets those of `properties` that the event does not have. */
export const withDefaults = (event: CapturedEvent, properties: Readonly<Properties>): CapturedEvent => {
  const own = event.properties
  for (const name of Object.keys(properties)) if (!has(own, name)) own[name] = properties[name]
  return event
}

/** Sets `properties`, also over those that the event has: the SDK knows better. */
export const withProperties = (event: CapturedEvent, properties: Readonly<Properties>): CapturedEvent => {
  Object.assign(event.properties, properties)
  return event
}

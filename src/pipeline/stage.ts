import { has } from '../lib/objects'
import type { CapturedEvent, CaptureOptions, DropReason, Properties } from '../types'

export interface Drop {
  drop: DropReason
}

/** A step of the pipeline: changes the event in place and returns it, or a replacement, or the reason why it is dropped. */
export type Stage = (event: CapturedEvent, options: CaptureOptions) => CapturedEvent | Drop

/** Sets the properties that the event does not have yet. */
export const withDefaults = (event: CapturedEvent, properties: Readonly<Properties>): CapturedEvent => {
  const own = event.properties
  for (const name of Object.keys(properties)) if (!has(own, name)) own[name] = properties[name]
  return event
}

/** Sets properties and overwrites those of the event: the SDK's own values win. */
export const withProperties = (event: CapturedEvent, properties: Readonly<Properties>): CapturedEvent => {
  Object.assign(event.properties, properties)
  return event
}

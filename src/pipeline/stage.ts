import type { CapturedEvent, CaptureOptions, DropReason, Properties } from '../types'

export interface Drop {
  drop: DropReason
}

/** A step of the pipeline: changes the event in place and returns it, or a replacement, or the reason why it is dropped. */
export type Stage = (event: CapturedEvent, options: CaptureOptions) => CapturedEvent | Drop

/** Sets properties and overwrites those of the event: the SDK's own values win. */
export const withProperties = (event: CapturedEvent, properties: Readonly<Properties>): CapturedEvent => {
  Object.assign(event.properties, properties)
  return event
}

import type { CapturedEvent, CaptureOptions, DroppedEvent } from '../types'
import type { Stage } from './stage'

export type Pipeline = (event: CapturedEvent, options: CaptureOptions) => CapturedEvent | undefined

/** Returns a function that runs an event through `stages` in order. The first stage that drops it ends the run and is reported to `onDrop`. */
export const createPipeline =
  (stages: Record<string, Stage>, onDrop: (dropped: DroppedEvent) => void): Pipeline =>
  (event, options) => {
    for (const name of Object.keys(stages)) {
      const result = stages[name]!(event, options)
      if ('drop' in result) {
        onDrop({ event: event.event, uuid: event.uuid, reason: result.drop, stage: name })
        return undefined
      }
      event = result
    }
    return event
  }

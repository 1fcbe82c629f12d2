import type { CapturedEvent, CaptureOptions, DroppedEvent } from '../types'
import type { Stage, Then } from './stage'

export type Pipeline = (event: CapturedEvent, options: CaptureOptions, then?: Then) => CapturedEvent | undefined

/**
 * Returns a function that runs an event through `stages` in order. The first stage that drops it ends the run and is
 * reported to `onDrop`.
 */
export const createPipeline = (stages: Record<string, Stage>, onDrop: (dropped: DroppedEvent) => void): Pipeline => {
  const names = Object.keys(stages)
  return (event, options, then) => {
    for (const stage of names) {
      const result = stages[stage]!(event, options, then)
      if ('drop' in result) {
        onDrop({ event: event.event, uuid: event.uuid, reason: result.drop, stage })
        return undefined
      }
      event = result
    }
    return event
  }
}

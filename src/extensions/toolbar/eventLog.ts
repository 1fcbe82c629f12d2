import type { ToolbarParts } from '../../host'
import type { Explanation, Properties, Stop } from '../../types'

// The SDK explains as many.
const MAX_EVENTS = 200

/** An event of this page, what happened to it, and its properties if it was captured while the toolbar was open. */
export interface LiveEvent extends Explanation {
  properties?: Properties
}

export interface EventLog {
  /** Returns the latest events, newest first. */
  all(): LiveEvent[]
  /** Returns this view's latest value of each web vital. */
  vitals(): Record<string, number>
  onChange(listener: () => void): Stop
  stop: Stop
}

const VITAL = /^\$web_vitals_([A-Z]+)_value$/

/** Follows the events of the page. */
export const createEventLog = ({ ledger, onNavigate, link }: ToolbarParts): EventLog => {
  const properties = new Map<string, Properties>()
  const listeners = new Set<() => void>()
  let vitals: Record<string, number> = {}
  let shownFrom = 0
  const emit = () => listeners.forEach((listener) => listener())
  const stops = [
    ledger.on('eventCaptured', (event) => {
      properties.set(event.uuid, event.properties)
      if (properties.size > MAX_EVENTS) properties.delete(properties.keys().next().value!)
      for (const [name, value] of Object.entries(event.properties)) {
        const metric = VITAL.exec(name)?.[1]
        if (metric && typeof value === 'number') vitals[metric] = value
      }
      emit()
    }),
    ledger.on('eventDropped', emit),
    onNavigate(() => {
      vitals = {}
      emit()
    }),
    link({
      // Events of the previous visitor are not shown to the next.
      onReset: () => {
        shownFrom = Date.now()
        properties.clear()
        vitals = {}
        emit()
      },
    }),
  ]
  return {
    all: () =>
      ledger
        .explain()
        .filter(({ at }) => at.getTime() > shownFrom)
        .map((each) => ({ ...each, properties: properties.get(each.uuid ?? '') })),
    vitals: () => vitals,
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: () => {
      stops.forEach((stop) => stop())
    },
  }
}

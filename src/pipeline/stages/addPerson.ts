import type { Properties } from '../../types'
import { type Stage, withProperties } from '../stage'

/** What the stage needs to know of the visitor. */
export interface PersonState {
  /** Whether this event makes or changes a person profile. */
  processesPerson(event: string): boolean
  /** Remembers that profiles are on, which then holds until `reset`. */
  remember(): void
  /** Where the visitor first came from, as person properties. */
  initial(): Properties
}

/**
 * `$process_person_profile`, and with it the person properties that are only written once. They go out with the first
 * such event of a page load and with every `$identify`.
 */
export const addPerson = ({ processesPerson, remember, initial }: PersonState): Stage => {
  let sent = false
  return (event) => {
    const processes = processesPerson(event.event)
    withProperties(event, { $process_person_profile: processes })
    if (!processes) return event
    remember()
    if (sent && event.event !== '$identify') return event
    sent = true
    const once = { ...initial(), ...event.$set_once }
    if (Object.keys(once).length) event.$set_once = once
    return event
  }
}

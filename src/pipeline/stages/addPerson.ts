import type { Properties } from '../../types'
import { type Stage, withProperties } from '../stage'

/** What the stage needs to know about the visitor. */
export interface PersonState {
  /** Whether this event creates or changes a person profile. */
  processesPerson(event: string): boolean
  /** Stores that person profiles are on, until `reset`. */
  enableProfiles(): void
  /** Returns the visitor's first arrival as person properties. */
  initial(): Properties
}

/**
 * Adds `$process_person_profile`, and person properties that are only written once: to the first such event of a page
 * load and to every `$identify`.
 */
export const addPerson = ({ processesPerson, enableProfiles, initial }: PersonState): Stage => {
  let sent = false
  return (event, _, then) => {
    const processes = then?.processesPerson ?? processesPerson(event.event)
    withProperties(event, { $process_person_profile: processes })
    if (!processes || then?.isPast) return event
    enableProfiles()
    if (sent && event.event !== '$identify') return event
    sent = true
    const once = { ...initial(), ...event.$set_once }
    if (Object.keys(once).length) event.$set_once = once
    return event
  }
}

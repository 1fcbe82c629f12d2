import type { Settings } from './clickhouseHttp.ts'
import type { SeeingRun } from './clickhouseSettings.ts'
import type { ReadLimits, Statement } from './storage.ts'

/** Data that the engine read for a statement. */
export interface Reading {
  readonly bytes: number
  readonly ms: number
}

/** The settings of a statement under some limits. */
export interface RememberedRun {
  /** The same object as long as the statement reads equally much, so that it is encoded once. */
  readonly settings: () => Settings
  /** Call after the statement was executed. */
  readonly note: (read: Reading) => void
}

// A second thread costs more CPU time than a small read itself, and saves none of the time until the response.
const SMALL: Reading = { bytes: 2_000_000, ms: 30 }
const MAX_CHARACTERS = 2_000_000

/**
 * Remembers the settings of the statements that ran since it was last full, and whether they read little: such a statement runs in
 * one thread the next time. `settingsOf`: makes the settings.
 */
export const createRunMemory = (
  settingsOf: (statement: Statement, limits: SeeingRun<ReadLimits>) => Settings,
): ((statement: Statement, limits: SeeingRun<ReadLimits>) => RememberedRun) => {
  const known = new Map<string, Map<string, RememberedRun>>()
  let characters = 0

  const make = (statement: Statement, limits: SeeingRun<ReadLimits>): RememberedRun => {
    const general = settingsOf(statement, limits)
    const single: Settings = { ...general, max_threads: 1 }
    let isSmall = false
    return {
      settings: () => (isSmall ? single : general),
      note: ({ bytes, ms }) => {
        isSmall = bytes <= SMALL.bytes && ms <= SMALL.ms
      },
    }
  }

  return (statement, limits) => {
    const { idPrefix: _id, ...rest } = limits
    const terms = JSON.stringify(Object.values(rest))
    const found = known.get(statement.text)?.get(terms)
    if (found) return found
    characters += statement.text.length + terms.length
    if (characters > MAX_CHARACTERS) {
      known.clear()
      characters = 0
    }
    const made = make(statement, limits)
    const ofText = known.get(statement.text) ?? new Map<string, RememberedRun>()
    known.set(statement.text, ofText.set(terms, made))
    return made
  }
}

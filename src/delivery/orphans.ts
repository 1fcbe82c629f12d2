import { within } from '../lib/guard'
import type { Config, DropReason } from '../types'
import type { Entry, TabDatabase } from '../lib/entry'
import type { Journal } from './journal'
import type { TabWatch } from './locks'
import type { TabSession } from './tabSession'

// Maximum wait for the list of databases, which may never come.
const ANSWER_MS = 3000

/** Whether the database exists. True if the browser cannot say. */
const databaseExists = async (name: string): Promise<boolean> => {
  const list = async () => indexedDB.databases()
  const databases = await within(ANSWER_MS, list(), undefined)
  return !databases || databases.some((each) => each.name === name)
}

interface OrphansInputs {
  /** Name of the database. */
  name: string
  config: Pick<Config, 'outbox_max_bytes'>
  journal: Journal
  tabs: TabWatch
  /** Undefined where the page has no locks. */
  openSession(): TabSession | undefined
  /** Opens the database; undefined if that is not possible yet. */
  useDatabase(): TabDatabase | undefined
  usesDatabase(): boolean
  currentTab(): string
  /** The entries of this tab that wait. Adopted ones are added. */
  entries: Set<Entry>
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
  /** Called when there may be more. */
  onOrphaned(): void
}

/** Finds events that closed tabs have left in the database and in their journals. */
export const createOrphans = (inputs: OrphansInputs) => {
  const { name, config, journal, tabs, openSession, useDatabase, usesDatabase, currentTab, entries, onDropped } = inputs
  /** Ids of adopted events and records. */
  let taken = new Set<string>()

  /** Adopts the found entries that are new to this tab, and returns them. */
  const adopt = (found: readonly Entry[]): Entry[] =>
    found.filter((entry) => {
      if (taken.has(entry.uuid)) return false
      taken.add(entry.uuid)
      entries.add(entry)
      return true
    })
  const living = () => tabs.living(currentTab())
  const readJournals = async (session: TabSession | undefined): Promise<Entry[]> => {
    const names = journal.names()
    const alive = session ? await living() : []
    return names
      .filter((each) => each !== currentTab() && !alive.includes(each))
      .flatMap((each) => {
        const found = journal.read(each, (lost) => onDropped(lost, 'page_left'))
        if (!found.length) journal.remove(each)
        return found
      })
  }
  const claim = async (): Promise<Entry[]> => {
    const known = taken
    const session = openSession()
    // Opened only where an earlier page needed it.
    if (session && !usesDatabase() && (await databaseExists(name))) useDatabase()
    const journaled = await readJournals(session)
    // The page was left in the meantime.
    if (taken !== known) return []
    const left = adopt(journaled)
    // Events that were found in the database before.
    journal.release(
      journaled.filter((entry) => !entries.has(entry)),
      entries,
    )
    const database = !left.length && usesDatabase() && useDatabase()
    if (!database) return left
    const { outbox_max_bytes: maxBytes } = config
    const isOver = () => taken !== known
    const found = await database.claim({
      living,
      maxBytes,
      taken,
      entries,
      adopt,
      isOver,
      onDropped,
      onOrphaned: inputs.onOrphaned,
    })
    return found ?? claim()
  }
  return {
    /** Returns some events of closed tabs, oldest first, each once. */
    claim,
    /** Forgets which records were adopted, because another page of this tab may adopt them again. */
    forgetTaken: () => {
      taken = new Set()
    },
  }
}

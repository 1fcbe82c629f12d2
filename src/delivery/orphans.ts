import { within } from '../lib/guard'
import type { Config, DropReason } from '../types'
import { type Entry, type Key, membersOf, type StoredRecord, textsOf } from './entry'
import type { Journal } from './journal'
import type { TabWatch } from './locks'
import type { TabSession } from './tabSession'

/** Number of events after which no further record is read at a time. */
const MAX_ORPHANS = 250
// Maximum wait for the database, which may never respond.
const ANSWER_MS = 3000

/** A record of a tab that is gone. */
interface FoundRecord {
  key: Key
  /** For each of its events, whether it is within the bound. */
  fits: boolean[]
  /** JSON texts of its events, if any of them fits; undefined if it has been deleted since. */
  texts?: readonly string[]
}

interface DatabaseReading {
  session: TabSession
  /** Returns the names of living tabs. */
  living(): Promise<string[]>
  maxBytes: number
  /** Whether this tab has adopted the record. */
  isAdopted(key: Key): boolean
}

/** Returns some records of closed tabs, oldest first. Skips records of which no event fits, and returns them too. */
const readRecords = async ({ session, living, maxBytes, isAdopted }: DatabaseReading): Promise<FoundRecord[]> => {
  const { result } = await session.run('readonly', (events) => events.getAllKeys())
  const keys = result as unknown as Key[]
  // Later than the keys, so that a tab that starts in between is among them.
  const alive = await living()
  let room = maxBytes
  const hasRoom = (size: number) => {
    const fits = size <= room
    if (fits) room -= size
    return fits
  }
  const left: FoundRecord[] = []
  // From the newest, so that the oldest exceed the bound.
  for (const key of keys.reverse()) {
    const fits = membersOf(key)
      .reverse()
      .map(([, , size]) => hasRoom(size))
      .reverse()
    if (!alive.includes(key[2]) && !isAdopted(key)) left.unshift({ key, fits })
  }
  let count = 0
  const isRead = ({ fits }: FoundRecord) => fits.includes(true)
  const found = left.filter((record) => !isRead(record) || (count < MAX_ORPHANS && (count += record.fits.length)))
  const requests = await session.run('readonly', (events) =>
    found.map((record) => (isRead(record) ? events.get(record.key) : undefined)),
  )
  return found.map((record, index) => {
    const request = requests[index]
    const stored = request ? (request.result as string | undefined) : ''
    return stored === undefined ? record : { ...record, texts: textsOf(stored, record.key) }
  })
}

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
  /** Undefined if the database is not used. */
  openSession(): TabSession | undefined
  currentTab(): string
  /** The entries of this tab that wait. Adopted ones are added. */
  entries: Set<Entry>
  removeRecords(keys: readonly Key[]): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
  /** Called when there may be more. */
  onOrphaned(): void
}

/** Finds events that closed tabs have left in the database and in their journals. */
export const createOrphans = (inputs: OrphansInputs) => {
  const { name, config, journal, tabs, openSession, currentTab, entries, removeRecords, onDropped, onOrphaned } = inputs
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
  /** Adopts the events of a record that are new to this tab, and returns them. Adds its key to `done` if none of its events waits. */
  const adoptRecord = ({ key, fits, texts }: FoundRecord, done: Key[]): Entry[] => {
    const [at, id] = key
    const record: StoredRecord = { key, waiting: 0 }
    const waits = (entry: Entry) => {
      record.waiting += 1
      ;(entry.records ??= []).push(record)
      entry.isKept = true
      return entry
    }
    // Without texts it was removed, with the site's other data.
    const members = texts ? membersOf(key) : []
    const fresh = members.flatMap(([uuid, event], index): Entry[] => {
      // The closed tab's journal has it too.
      if (taken.has(uuid)) {
        for (const entry of entries) if (entry.uuid === uuid) waits(entry)
        return []
      }
      const text = texts![index]
      if (text && fits[index]) return adopt([waits({ at, uuid, event, text })])
      onDropped({ event, uuid }, 'queue_full')
      return []
    })
    // Added after its events: the single event of an older release's record has the record's id.
    taken.add(id)
    if (!record.waiting) done.push(key)
    return fresh
  }
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
    if (session && !session.usesDatabase() && (await databaseExists(name))) session.open()
    const journaled = await readJournals(session)
    // The page was left in the meantime.
    if (taken !== known) return []
    const left = adopt(journaled)
    // Events that were found in the database before.
    journal.release(
      journaled.filter((entry) => !entries.has(entry)),
      entries,
    )
    if (left.length || !session?.usesDatabase()) return left
    const { outbox_max_bytes: maxBytes } = config
    const reading = readRecords({ session, living, maxBytes, isAdopted: ([, id]) => taken.has(id) })
    const found = await within(ANSWER_MS, reading, undefined)
    // Looks again when the database responds.
    if (!found) reading.then(({ length }) => length && onOrphaned()).catch(() => {})
    if (taken !== known || !found) return []
    const done: Key[] = []
    const adopted = found.flatMap((record) => adoptRecord(record, done))
    removeRecords(done)
    // A journal had all of their events. There may be more records.
    return found.length && !adopted.length ? claim() : adopted
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

import type { Claim, Entry, Key, StoredRecord } from '../../lib/entry'
import { within } from '../../lib/guard'
import { membersOf, textsOf } from './records'

/** Runs a transaction. Resolves with what `work` returned, once it is complete. */
export type Run = <T>(mode: IDBTransactionMode, work: (events: IDBObjectStore) => T) => Promise<T>

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

/**
 * Returns some records of closed tabs, oldest first. Skips records without an event that fits, and returns them too.
 */
const readRecords = async (run: Run, { living, maxBytes, taken }: Claim): Promise<FoundRecord[]> => {
  const { result } = await run('readonly', (events) => events.getAllKeys())
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
    if (!alive.includes(key[2]) && !taken.has(key[1])) left.unshift({ key, fits })
  }
  let count = 0
  const isRead = ({ fits }: FoundRecord) => fits.includes(true)
  const found = left.filter((record) => !isRead(record) || (count < MAX_ORPHANS && (count += record.fits.length)))
  const requests = await run('readonly', (events) =>
    found.map((record) => (isRead(record) ? events.get(record.key) : undefined)),
  )
  return found.map((record, index) => {
    const request = requests[index]
    const stored = request ? (request.result as string | undefined) : ''
    return stored === undefined ? record : { ...record, texts: textsOf(stored, record.key) }
  })
}

/** Adopts the events of a record that are new to this tab, and returns them. Adds its key to `done` if none of its events waits. */
const adoptRecord = (
  { key, fits, texts }: FoundRecord,
  { taken, entries, adopt, onDropped }: Claim,
  done: Key[],
): Entry[] => {
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

/** Adopts some events that closed tabs have left in the database. `remove`: removes records. */
export const claimRecords = async (
  run: Run,
  remove: (keys: readonly Key[]) => void,
  claim: Claim,
): Promise<Entry[] | undefined> => {
  const reading = readRecords(run, claim)
  const found = await within(ANSWER_MS, reading, undefined)
  // Looks again when the database responds.
  if (!found) reading.then(({ length }) => length && claim.onOrphaned()).catch(() => {})
  if (claim.isOver() || !found) return []
  const done: Key[] = []
  const adopted = found.flatMap((record) => adoptRecord(record, claim, done))
  remove(done)
  return found.length && !adopted.length ? undefined : adopted
}

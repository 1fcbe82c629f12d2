import { within } from '../lib/guard'
import type { Config } from '../types'
import { type Entry, type Key, keyOf } from './entry'
import type { Journal } from './journal'
import type { TabSession } from './tabSession'

const MAX_ORPHANS = 250
// Maximum wait for the database, which may never respond.
const ANSWER_MS = 3000

interface DatabaseReading {
  session: TabSession
  maxBytes: number
  /** Whether this tab has had the event. */
  isTaken(uuid: string): boolean
  /** Records that exceed the bounds. */
  onTooLarge(keys: Key[]): void
}

/** Returns some records of tabs that are gone, oldest first. */
const readOrphans = async ({ session, maxBytes, isTaken, onTooLarge }: DatabaseReading): Promise<Entry[]> => {
  const { result } = await session.run('readonly', (events) => events.getAllKeys())
  const keys = result as unknown as Key[]
  const living = await session.watch()
  const tooLarge: Key[] = []
  let room = maxBytes
  // From the newest, so that the oldest are dropped.
  const isFound = (key: Key) => {
    const [, uuid, owner, length] = key
    const fits = length <= room
    if (fits) room -= length
    if (living.includes(owner) || isTaken(uuid)) return false
    if (!fits) tooLarge.push(key)
    return fits
  }
  const found = keys.reverse().filter(isFound).reverse().slice(0, MAX_ORPHANS)
  onTooLarge(tooLarge)
  const texts = await session.run('readonly', (events) => found.map((key) => events.get(key)))
  return found.map((key, index) => {
    const [at, uuid, , , event] = key
    return { at, uuid, event, key, text: texts[index]!.result as string }
  })
}

interface OrphansInputs {
  config: Pick<Config, 'outbox_max_bytes'>
  journal: Journal
  /** Undefined if the database is not used. */
  openSession(): TabSession | undefined
  currentTab(): string
  /** Called when an entry now belongs to this tab. */
  adopt(entry: Entry): void
  onDropped(keys: readonly Key[]): void
  /** There may be more. */
  onOrphaned(): void
}

/** Finds events that closed tabs have left in the database and in their journals. */
export const createOrphans = (inputs: OrphansInputs) => {
  const { config, journal, openSession, currentTab, onDropped, onOrphaned } = inputs
  let taken = new Set<string>()

  /** Returns the found entries that are new to this tab, and adopts them. */
  const adopt = (found: readonly Entry[]): Entry[] =>
    found.filter((entry) => {
      // A record without text was removed in the meantime, with the site's other data.
      if (!entry.text || taken.has(entry.uuid)) return false
      taken.add(entry.uuid)
      inputs.adopt(entry)
      return (entry.isKept = true)
    })
  const readJournals = async (): Promise<Entry[]> => {
    const names = journal.names()
    const living = (await openSession()?.watch()) ?? []
    return names
      .filter((each) => each !== currentTab() && !living.includes(each))
      .flatMap((each) => journal.read(each).map((entry) => ({ ...entry, key: keyOf(entry, each) })))
  }
  return {
    /** Returns some of them, oldest first, each once. */
    claim: async (): Promise<Entry[]> => {
      const left = adopt(await readJournals())
      const session = openSession()
      if (left.length || !session) return left
      const reading = readOrphans({
        session,
        maxBytes: config.outbox_max_bytes,
        isTaken: (uuid) => taken.has(uuid),
        onTooLarge: (keys) => {
          for (const [, uuid] of keys) taken.add(uuid)
          onDropped(keys)
        },
      })
      const found = await within(ANSWER_MS, reading, undefined)
      // Looks again when the database responds.
      if (!found) reading.then(({ length }) => length && onOrphaned()).catch(() => {})
      return adopt(found ?? [])
    },
    /** Another page of this tab may find them again. */
    forgetTaken: () => {
      taken = new Set()
    },
  }
}

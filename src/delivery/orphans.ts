import { within } from '../lib/guard'
import type { Config } from '../types'
import type { Entry, Key } from './entry'
import type { Journal } from './journal'
import type { TabWatch } from './locks'
import type { TabSession } from './tabSession'

const MAX_ORPHANS = 250
// Maximum wait for the database, which may never respond.
const ANSWER_MS = 3000

interface DatabaseReading {
  session: TabSession
  /** Returns the names of living tabs. */
  living(): Promise<string[]>
  maxBytes: number
  /** Whether this tab has had the event. */
  isTaken(uuid: string): boolean
  /** Records that exceed the bounds. */
  onTooLarge(keys: Key[]): void
}

/** Returns some records of tabs that are gone, oldest first. */
const readOrphans = async ({ session, living, maxBytes, isTaken, onTooLarge }: DatabaseReading): Promise<Entry[]> => {
  const { result } = await session.run('readonly', (events) => events.getAllKeys())
  const keys = result as unknown as Key[]
  // Later than the keys, so that a tab that starts in between is among them.
  const alive = await living()
  const tooLarge: Key[] = []
  let room = maxBytes
  // From the newest, so that the oldest are dropped.
  const isFound = (key: Key) => {
    const [, uuid, owner, length] = key
    const fits = length <= room
    if (fits) room -= length
    if (alive.includes(owner) || isTaken(uuid)) return false
    if (!fits) tooLarge.push(key)
    return fits
  }
  const found = keys.reverse().filter(isFound).reverse().slice(0, MAX_ORPHANS)
  onTooLarge(tooLarge)
  const texts = await session.run('readonly', (events) => found.map((key) => events.get(key)))
  return found.map((key, index) => {
    const [at, uuid, , , event] = key
    return { at, uuid, event, key, isKept: true, text: texts[index]!.result as string }
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
  /** Called when an entry now belongs to this tab. */
  adopt(entry: Entry): void
  onDropped(keys: readonly Key[]): void
  /** There may be more. */
  onOrphaned(): void
}

/** Finds events that closed tabs have left in the database and in their journals. */
export const createOrphans = (inputs: OrphansInputs) => {
  const { name, config, journal, tabs, openSession, currentTab, onDropped, onOrphaned } = inputs
  let taken = new Set<string>()

  /** Returns the found entries that are new to this tab, and adopts them. `known` is `taken` when the search began. */
  const adopt = (found: readonly Entry[], known: Set<string>): Entry[] =>
    found.filter((entry) => {
      // The page was left in the meantime. Or a record without text was removed, with the site's other data.
      if (taken !== known || !entry.text || taken.has(entry.uuid)) return false
      taken.add(entry.uuid)
      inputs.adopt(entry)
      return true
    })
  const living = () => tabs.living(currentTab())
  const readJournals = async (session: TabSession | undefined): Promise<Entry[]> => {
    const names = journal.names()
    const alive = session ? await living() : []
    return names
      .filter((each) => each !== currentTab() && !alive.includes(each))
      .flatMap((each) => {
        const found = journal.read(each)
        if (!found.length) journal.remove(each)
        return found
      })
  }
  return {
    /** Returns some of them, oldest first, each once. */
    claim: async (): Promise<Entry[]> => {
      const known = taken
      const session = openSession()
      // Opened only where an earlier page needed it.
      if (session && !session.usesDatabase() && (await databaseExists(name))) session.open()
      const left = adopt(await readJournals(session), known)
      if (left.length || !session?.usesDatabase()) return left
      const reading = readOrphans({
        session,
        living,
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
      return adopt(found ?? [], known)
    },
    /** Another page of this tab may find them again. */
    forgetTaken: () => {
      taken = new Set()
    },
  }
}

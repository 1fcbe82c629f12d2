import { within } from '../lib/guard'
import type { Config } from '../types'
import { type Entry, type Key, keyOf } from './entry'
import type { Journal } from './journal'
import type { TabSession } from './tabSession'

const MAX_ORPHANS = 250
// A database may never answer: that keeps no tab from sending.
const ANSWER_MS = 3000

interface DatabaseReading {
  session: TabSession
  maxBytes: number
  /** Whether this tab had the event before. */
  isTaken(uuid: string): boolean
  /** The records that do not fit beside newer ones. */
  onTooLarge(keys: Key[]): void
}

/** Returns some records of tabs that are gone, oldest first. */
const readOrphans = async ({ session, maxBytes, isTaken, onTooLarge }: DatabaseReading): Promise<Entry[]> => {
  const { result } = await session.run('readonly', (events) => events.getAllKeys())
  const keys = result as unknown as Key[]
  const living = await session.watch()
  const tooLarge: Key[] = []
  let room = maxBytes
  // From the newest: what does not fit beside what is newer is dropped.
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
  /** Undefined where nothing is kept in the database. */
  openSession(): TabSession | undefined
  currentTab(): string
  /** An entry belongs to this tab from now on. */
  adopt(entry: Entry): void
  onDropped(keys: readonly Key[]): void
  /** There may be more. */
  onOrphaned(): void
}

/** Finds what tabs that are gone have left in the database and in their journals. */
export const createOrphans = (inputs: OrphansInputs) => {
  const { config, journal, openSession, currentTab, onDropped, onOrphaned } = inputs
  let taken = new Set<string>()

  /** Returns those of the entries found that this tab had not taken yet, which are its own from now on. */
  const adopt = (found: readonly Entry[]): Entry[] =>
    found.filter((entry) => {
      // Without a text: removed meanwhile, with everything the site had stored.
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
      // Looks again once the database answers, if it ever does.
      if (!found) reading.then(({ length }) => length && onOrphaned()).catch(() => {})
      return adopt(found ?? [])
    },
    /** Another page of this tab may find them again. */
    forgetTaken: () => {
      taken = new Set()
    },
  }
}

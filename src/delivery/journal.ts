import { attempt, guarded } from '../lib/guard'
import { parseJson, toJson } from '../lib/json'
import type { Entry } from '../lib/entry'

/** Maximum size of a journal in characters: a fifth of a site's local storage. */
export const MAX_JOURNAL = 1_000_000

interface JournalInputs {
  /** Prefix of the tabs' names. */
  name: string
  /** Whether anything may be stored in the browser. */
  mayKeep(): boolean
  /** Local storage, if the page has it. */
  journals(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
}

/**
 * The journals of all tabs. Each is an entry of local storage, named after the tab, with the events that are not in the
 * database. It exists, even without events, while something of its tab waits, so that other tabs know when it ends.
 */
export const createJournal = ({ name, mayKeep, journals }: JournalInputs) => {
  /** The tab whose journal was last written; undefined if it was removed. */
  let written: string | undefined
  /** Length of what was last written. */
  let length = 0
  const remove = (tab: string): void => void guarded(() => journals()!.removeItem(tab))
  const exists = (tab: string) => attempt(() => journals()!.getItem(tab)) != null
  /** Writes the `entries` that the database has not confirmed, as many as fit into `room`, and returns them. */
  const write = (tab: string, entries: ReadonlySet<Entry>, room = MAX_JOURNAL): Entry[] => {
    if (!mayKeep() || !journals()) return []
    const unkept = [...entries].filter(({ isKept, text }) => {
      const fits = !isKept && text.length < room
      if (fits) room -= text.length
      return fits
    })
    if (!(written === tab || unkept.length)) return []
    // Local storage may be full, or missing.
    const isWritten = attempt(() => {
      const records = unkept.map(({ at, uuid, event, text }) => ({ at, uuid, event, text }))
      const text = toJson(records)
      if (!entries.size) journals()!.removeItem(tab)
      // Often the same again, mostly without events. Reading is faster than writing.
      else if (text.length !== length || journals()!.getItem(tab) !== text) journals()!.setItem(tab, text)
      length = text.length
      written = entries.size ? tab : undefined
      return true
    })
    return isWritten ? unkept : []
  }
  return {
    names: (): string[] =>
      guarded(() => Object.keys(journals() ?? {}).filter((each) => each.startsWith(`${name}/`))) ?? [],
    isWritten: (tab: string) => written === tab,
    exists,
    write,
    /** Same as `write`, but writes fewer entries if local storage is nearly full. */
    writeSome: (tab: string, entries: ReadonlySet<Entry>, room: number): Entry[] => {
      const isUnkept = [...entries].some(({ isKept }) => !isKept)
      let written = write(tab, entries, room)
      for (let most = room; isUnkept && !written.length && most > 1000; most *= 0.8) written = write(tab, entries, most)
      return written
    },
    /**
     * Writes the number of lost events by name, as the journal `name`. Returns a function that removes the journal and
     * returns whether it still existed. `undefined`: it could not be written.
     */
    note: (name: string, lost: readonly Entry[]): (() => boolean) | undefined => {
      const counts = new Map<string, number>()
      for (const { event } of lost.flatMap((each) => [each, each.merged ?? []].flat()))
        counts.set(event, (counts.get(event) ?? 0) + 1)
      const notes = [...counts].map(([event, count]) => ({ event, lost: count }))
      if (!mayKeep()) return undefined
      return attempt(() => {
        journals()!.setItem(name, toJson(notes))
        return () => {
          const wasThere = exists(name)
          remove(name)
          return wasThere
        }
      })
    },
    /** Returns the readable entries of a tab's journal. `onLost` is called for each event that it notes as lost. */
    read: (tab: string, onLost: (event: Pick<Entry, 'event' | 'uuid'>) => void): Entry[] =>
      ([parseJson(journals()!.getItem(tab))].flat() as ((Entry & { lost?: number }) | null)[]).flatMap((entry) => {
        for (let count = entry?.lost ?? 0; count > 0; count--) onLost({ event: entry!.event, uuid: '' })
        return entry?.uuid && entry.text ? { ...entry, journal: tab } : []
      }),
    /** Removes the journals that `adopted` entries come from, unless `entries` has others from the same journal. */
    release: (adopted: readonly Entry[], entries: Iterable<Entry>): void => {
      const names = new Set(adopted.map(({ journal }) => journal!))
      for (const entry of adopted) entry.journal = undefined
      for (const entry of entries) names.delete(entry.journal!)
      names.forEach(remove)
    },
    remove,
  }
}

export type Journal = ReturnType<typeof createJournal>

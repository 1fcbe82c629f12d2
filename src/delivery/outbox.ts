import { attempt, guarded, later, within } from '../lib/guard'
import { reportCaught } from '../lib/log'
import { uuidv7 } from '../lib/uuid'
import type { Config, DropReason } from '../types'
import { type Entry, type Key, recordOf } from './entry'
import { createJournal, MAX_JOURNAL } from './journal'
import { createOrphans } from './orphans'
import { createTabWatch, locks } from './locks'
import { openTabSession, type TabSession } from './tabSession'

export interface OutboxInputs {
  /** Name of the database, the locks and the channel. */
  name: string
  config: Pick<Config, 'outbox_max_bytes'>
  /** Whether anything may be stored in the browser. */
  mayKeep(): boolean
  /** Local storage, if the page has it. */
  journals(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
  /** Called when a tab has closed, which may have left events. */
  onOrphaned(): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
}

/**
 * Stores waiting events in the browser, so that they outlive the tab, and elects the tab that sends. Without storage
 * each tab sends what is in its memory.
 */
export interface Outbox {
  /** Adds an entry to write. Without a journal, it is written at the end of this task. */
  keep(entry: Entry): void
  /** Writes the added entries. Called in a later task than `capture`. `mayWaitLong`: a request has failed, so they go to the database. */
  write(mayWaitLong?: boolean): void
  /** Removes entries that the service has acknowledged or rejected, or that were dropped. */
  forget(entries: readonly Entry[]): void
  /** Waits until this tab is the one that sends. False: another tab does not respond; send, but claim no orphans. */
  acquireLeadership(): Promise<boolean>
  /** Ends leadership and, if nothing waits, everything that marks the tab as alive. */
  release(): void
  /** Returns some entries of closed tabs, oldest first, each once. Only for the tab that sends. */
  claimOrphans(): Promise<Entry[]>
  /** Another tab has written its journal. `onOrphaned` is called if it ends before the events in it have arrived. */
  watch(tab: string): void
  /** Removes the outbox with the events of all tabs, if nothing may be stored. */
  align(): void
  /** Writes entries that are not stored yet (`isKept`), and releases everything that marks the page as alive. */
  onPageHide(): void
  /**
   * Gives up entries of a page that was left, because neither the outbox nor the browser has them, and leaves their count
   * to the next page. Returns a function that takes them back, unless another page has counted them; undefined if
   * nothing may be stored.
   */
  giveUp(lost: readonly Entry[]): (() => boolean) | undefined
}

// The sending tab may wait between retries or hang in a debugger. Other tabs send after this time.
const LEADERSHIP_MS = 5000

// Maximum size in characters of events that wait in local storage alone. Each write repeats all of them.
const MAX_SHORT = 100_000

// Size of a record in characters, beyond which it gets no further event. Writing and deleting a record takes about as long as
// capturing an event, so a record has several; but all of them are sent again if one was not acknowledged in time.
const RECORD_SIZE = 50_000

/** Returns `entries` in groups, each for one record. */
const inRecords = (entries: readonly Entry[]): Entry[][] => {
  const groups: Entry[][] = []
  let room = 0
  for (const entry of entries) {
    if (room <= 0) {
      groups.push([])
      room = RECORD_SIZE
    }
    groups[groups.length - 1]!.push(entry)
    room -= entry.text.length
  }
  return groups
}

/**
 * Waiting events are in the tab's journal in local storage, where a synchronous write outlives a renderer that ends right
 * after it. Once a request has failed, or if they are too large, they move to a database, several in a record.
 * The journal has them until the database has confirmed the records. A page without local storage, such as a worker, has
 * only the database, which it opens early.
 *
 * An event is removed only when the service has acknowledged or rejected it. Browsers do not report whether a beacon
 * arrived, so the next page sends its events again, and the service deduplicates them by `uuid`. The repeats are
 * compressed with a batch that is sent anyway (docs/benchmarks.md has their size).
 *
 * A tab holds the lock of its name while it has waiting events. The browser releases the lock however the tab ends, and
 * then the events belong to the next tab that sends. Without Web Locks no database is used and a journal is written only
 * when its page is left, so that no other page finds the journal of an open page.
 */
export const createOutbox = (inputs: OutboxInputs): Outbox => {
  const { name, mayKeep, journals, onOrphaned } = inputs
  const entries = new Set<Entry>()
  const journal = createJournal(inputs)
  /** Characters that a page which is left may still add to local storage. */
  let room = MAX_JOURNAL
  const newTab = () => `${name}/${uuidv7()}`
  let tab = newTab()
  let session: TabSession | undefined
  const tabs = createTabWatch(name, (ended) => {
    // Nothing is left of a tab that has delivered everything.
    if (journal.exists(ended) || session?.usesDatabase()) onOrphaned()
  })

  /** Returns this tab's session, which it opens if needed; undefined if the database is not used. */
  const openSession = () => {
    // Locks are missing where the page is not secure.
    if (!mayKeep() || !locks()) return undefined
    if (!session || session.signal.aborted) {
      if (session) tab = newTab()
      session = openTabSession(name, tab, () => void guarded(() => tabs.living(tab)))
      // The database may have been removed, with everything in it.
      session.signal.addEventListener('abort', () => {
        for (const entry of entries) entry.records = entry.isKept = undefined
      })
    }
    return session
  }
  const removeRecords = (keys: readonly Key[]) => {
    // A record that is not removed, because of an error or the page's end, is sent again by another page and counted once.
    if (keys.length && session?.usesDatabase()) session.remove(keys).catch(() => {})
  }
  /** Removes the journals of closed tabs with entries that this tab has stored, or that do not wait anymore. */
  const removeLeft = (done: readonly Entry[]) =>
    journal.release(
      done.filter(({ journal }) => journal),
      entries,
    )
  const writeJournal = (): Entry[] => {
    const written = journal.write(tab, entries)
    removeLeft(written)
    return written
  }
  const write = (mayWaitLong?: boolean) => {
    const fresh = [...entries].filter(({ records }) => !records)
    // Checked first: nothing may start again after the page was left.
    const current = fresh.length ? openSession() : undefined
    if (!current) return
    const isSmall = fresh.reduce((sum, { text }) => sum + text.length, 0) < MAX_SHORT
    if (!mayWaitLong && isSmall && !current.usesDatabase() && writeJournal().length) return
    const put = inRecords(fresh).map((group): [text: string, key: Key] => {
      const [record, text] = recordOf(group, tab)
      for (const entry of group) entry.records = [record]
      return [text, record.key]
    })
    current
      .put(put)
      .then(
        () => {
          if (current.signal.aborted) return
          for (const entry of fresh) entry.isKept = true
          removeLeft(fresh)
          // What it held is in the database now.
          if (journal.isWritten(tab)) writeJournal()
        },
        () => {
          // The database is full or broken. The journal and this tab's memory still have the events.
          for (const entry of fresh) entry.records = undefined
          if (!current.signal.aborted) writeJournal()
        },
      )
      .catch(reportCaught)
    if (!current.isOpen()) writeJournal()
  }
  const orphans = createOrphans({
    ...inputs,
    journal,
    tabs,
    openSession,
    currentTab: () => tab,
    entries,
    removeRecords,
  })

  return {
    keep: (entry) => {
      entries.add(entry)
      // A worker has no journal and may be terminated after any task.
      if (!journals()) queueMicrotask(() => guarded(write))
    },
    write,
    forget: (gone) => {
      // Processes each entry only once, because `waiting` counts down.
      const done = gone.filter((entry) => entries.delete(entry)).flatMap(({ records = [] }) => records)
      removeLeft(gone)
      removeRecords(done.filter((record) => !--record.waiting).map(({ key }) => key))
      if (journal.isWritten(tab)) writeJournal()
    },
    acquireLeadership: () => {
      const current = openSession()
      if (!current) return Promise.resolve(true)
      const leads = current.lead().then(() => true)
      return within(LEADERSHIP_MS, leads, false)
    },
    release: () => {
      session?.endLeadership()
      if (!entries.size && journals()) session?.end()
    },
    claimOrphans: async () => {
      const found = mayKeep() ? await orphans.claim() : []
      if (found.length) write()
      return found
    },
    watch: (other) => {
      const adopt = locks() ? tabs.watch : onOrphaned
      if (mayKeep()) adopt(other)
    },
    align: () => {
      room = MAX_JOURNAL
      if (mayKeep()) return void (journals() || later(() => openSession()?.open()))
      entries.clear()
      session?.end()
      journal.names().forEach(journal.remove)
      // A sandboxed frame has no databases; then nothing was kept.
      attempt(() => indexedDB.deleteDatabase(name))
    },
    onPageHide: () => {
      if (session?.usesDatabase()) write()
      const written = journal.writeSome(tab, entries, room)
      removeLeft(written)
      for (const entry of written) {
        entry.isKept = true
        room -= entry.text.length
      }
      // An open database also finishes its writes after the page has ended.
      if (session?.isOpen()) for (const entry of entries) entry.isKept ||= !!entry.records
      for (const entry of entries) if (entry.isKept) entries.delete(entry)
      session?.end()
      tabs.stop()
      tab = newTab()
      orphans.forgetTaken()
    },
    giveUp: (lost) => {
      for (const entry of lost) entries.delete(entry)
      const takeBack = journal.note(newTab(), lost)
      return takeBack && (() => takeBack() && lost.every((entry) => entries.add(entry)))
    },
  }
}

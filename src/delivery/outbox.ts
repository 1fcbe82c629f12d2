import { attempt, guarded, later, within } from '../lib/guard'
import { reportCaught } from '../lib/log'
import { uuidv7 } from '../lib/uuid'
import type { Config, DropReason, Stop } from '../types'
import type { Entry, OpenDatabase, TabDatabase } from '../lib/entry'
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
  /** Characters of entries that are written only when a request has failed or the page is left, because writing them takes long. */
  writeLaterAbove?: number
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
  /** Writes the added entries. Called in a later task than `capture`. `mayWaitLong`: a request has failed or the page is left, so all go to the database. */
  write(mayWaitLong?: boolean): void
  /** Removes entries that the service has acknowledged or rejected, or that were dropped. */
  forget(entries: readonly Entry[]): void
  /** Waits until this tab is the sender. False: another tab does not respond; send, but claim no orphans. */
  acquireLeadership(): Promise<boolean>
  /** Ends leadership and, if nothing waits, everything that marks the tab as alive. */
  release(): void
  /** Returns some entries of closed tabs, oldest first, each once. Only for the tab that sends. */
  claimOrphans(): Promise<Entry[]>
  /**
   * Watches another tab, which has written its journal. `onOrphaned` is called if that tab ends before its events have
   * arrived.
   */
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

/** Fetches the code of the database. Rejects if the page forbids it or the network fails. */
export type LoadDatabase = () => Promise<{ openDatabase: OpenDatabase }>

// A content blocker may forbid it.
const MAX_ATTEMPTS = 2

const onIdle = (run: Stop) =>
  typeof requestIdleCallback === 'function' ? requestIdleCallback(() => guarded(run)) : later(run, 1000)

// The sending tab may wait between retries or hang in a debugger. Other tabs send after this time.
const LEADERSHIP_MS = 5000

// Maximum size in characters of events that wait in local storage alone. Each write repeats all of them.
const MAX_SHORT = 100_000

/**
 * Waiting events are in the tab's journal in local storage, where a synchronous write outlives a renderer that ends right
 * after it. Once a request has failed, or if they are too large, they move to a database, several in a record.
 * The journal has them until the database has confirmed the records. The code of the database is fetched when it is needed
 * (`fetchDatabase`); if it cannot be, the journal keeps its bound, and the rest is in memory. A page without local storage,
 * such as a worker, has only the database, which it opens early.
 *
 * An event is removed only when the service has acknowledged or rejected it. Browsers do not report whether a beacon
 * arrived, so the next page sends its events again, and the service deduplicates them by `uuid`. The repeats are
 * compressed with a batch that is sent anyway (docs/benchmarks.md has their size).
 *
 * A tab holds the lock of its name while it has waiting events. The browser releases the lock however the tab ends, and
 * then the events belong to the next tab that sends. Without Web Locks no database is used and a journal is written only
 * when its page is left, so that no other page finds the journal of an open page.
 */
export const createOutbox = (inputs: OutboxInputs, loadDatabase: LoadDatabase): Outbox => {
  const { name, mayKeep, journals, onOrphaned, writeLaterAbove = Infinity } = inputs
  const entries = new Set<Entry>()
  const journal = createJournal(inputs)
  /** Characters that a page which is left may still add to local storage. */
  let room = MAX_JOURNAL
  const newTab = () => `${name}/${uuidv7()}`
  let tab = newTab()
  let session: TabSession | undefined
  let database: TabDatabase | undefined
  let openDatabase: OpenDatabase | undefined
  /** Whether a database was needed before its code was loaded. */
  let isWanted = false
  let isFetching = false
  let attempts = 0
  const usesDatabase = () => !!database && !session!.signal.aborted
  const tabs = createTabWatch(name, (ended) => {
    // Nothing is left of a tab that has delivered everything.
    if (journal.exists(ended) || usesDatabase()) onOrphaned()
  })

  /** Returns this tab's session, which it opens if needed; undefined if the database is not used. */
  const openSession = () => {
    // Locks are missing where the page is not secure.
    if (!mayKeep() || !locks()) return undefined
    if (!session || session.signal.aborted) {
      if (session) tab = newTab()
      session = openTabSession(name, tab)
      database = undefined
      // The database may have been removed, with everything in it.
      session.signal.addEventListener('abort', () => {
        for (const entry of entries) entry.records = entry.isKept = undefined
      })
    }
    return session
  }
  /** Returns the open database. Undefined if none can be used, or until its code is there. */
  const useDatabase = (): TabDatabase | undefined => {
    const current = openSession()
    if (!current || database) return current && database
    if (!openDatabase) {
      isWanted = true
      fetchDatabase(1)
    }
    const { signal, alive, end } = current
    const onOpened = () => void guarded(() => tabs.living(tab))
    return (database = openDatabase?.({ name, tab, signal, alive, end, onOpened }))
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
    const fresh = [...entries].filter(
      ({ records, text }) => !records && (mayWaitLong || text.length <= writeLaterAbove),
    )
    // Checked first: nothing may start again after the page was left.
    const current = fresh.length ? openSession() : undefined
    if (!current) return
    const isSmall = fresh.reduce((sum, { text }) => sum + text.length, 0) < MAX_SHORT
    if (!mayWaitLong && isSmall && !usesDatabase() && writeJournal().length) return
    const opened = useDatabase()
    if (!opened) return void writeJournal()
    opened
      .put(fresh)
      .then(
        () => {
          if (current.signal.aborted) return
          for (const entry of fresh) entry.isKept = true
          removeLeft(fresh)
          // The database has the journal's entries at this point.
          if (journal.isWritten(tab)) writeJournal()
        },
        () => {
          // The database is full or broken. The journal and this tab's memory still have the events.
          for (const entry of fresh) entry.records = undefined
          if (!current.signal.aborted) writeJournal()
        },
      )
      .catch(reportCaught)
    if (!opened.isOpen()) writeJournal()
  }
  /** Fetches the code of the database, unless `most` attempts have been made. */
  const fetchDatabase = (most: number) => {
    if (openDatabase || isFetching || attempts >= most) return
    isFetching = true
    attempts += 1
    void loadDatabase()
      .then(
        (code) => {
          openDatabase = code.openDatabase
          if (!isWanted) return
          write(true)
          if (!journals()) useDatabase()
          onOrphaned()
        },
        () => {},
      )
      .then(() => {
        isFetching = false
      })
      .catch(reportCaught)
  }
  const orphans = createOrphans({
    ...inputs,
    journal,
    tabs,
    openSession,
    useDatabase,
    usesDatabase,
    currentTab: () => tab,
    entries,
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
      database?.remove(done.filter((record) => !--record.waiting).map(({ key }) => key))
      if (journal.isWritten(tab)) writeJournal()
      // Fetched ahead of the next outage, which would prevent it.
      if (!openDatabase && mayKeep() && locks()) onIdle(() => fetchDatabase(MAX_ATTEMPTS))
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
      const onClosing = locks() ? tabs.watch : onOrphaned
      if (mayKeep()) onClosing(other)
    },
    align: () => {
      room = MAX_JOURNAL
      if (mayKeep()) return void (journals() || later(useDatabase))
      entries.clear()
      session?.end()
      journal.names().forEach(journal.remove)
      // A sandboxed frame has no databases; then nothing was kept.
      attempt(() => indexedDB.deleteDatabase(name))
    },
    onPageHide: () => {
      if (usesDatabase()) write(true)
      const written = journal.writeSome(tab, entries, room)
      removeLeft(written)
      for (const entry of written) {
        entry.isKept = true
        room -= entry.text.length
      }
      // An open database also finishes its writes after the page has ended.
      if (database?.isOpen()) for (const entry of entries) entry.isKept ||= !!entry.records
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

import { attempt, guarded, later, within } from '../lib/guard'
import { reportCaught } from '../lib/log'
import { uuidv7 } from '../lib/uuid'
import type { Config, DropReason } from '../types'
import { type Entry, type Key, keyOf } from './entry'
import { createJournal } from './journal'
import { createOrphans } from './orphans'
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
  /** Writes the added entries. Called in a later task than `capture`. */
  write(): void
  /** Removes entries that the service has acknowledged or rejected, or that were dropped. */
  forget(entries: readonly Entry[]): void
  /** Waits until this tab is the one that sends. False: another tab does not respond; send, but claim no orphans. */
  acquireLeadership(): Promise<boolean>
  releaseLeadership(): void
  /** Returns some entries of closed tabs, oldest first, each once. Only for the tab that sends. */
  claimOrphans(): Promise<Entry[]>
  /** Opens the outbox if events may be stored. Otherwise removes it, with the events of all tabs. */
  align(): void
  /** Writes entries that are not stored yet (`isKept`), and releases everything that marks the page as alive. */
  onPageHide(): void
}

// The sending tab may wait between retries or hang in a debugger. Other tabs send after this time.
const LEADERSHIP_MS = 5000

/**
 * The outbox has a record for each event in its own database. Until the database has confirmed the record, the tab's
 * journal in local storage has a copy, because a synchronous write survives a renderer that ends during a transaction.
 * An event is removed from both only when the service has acknowledged or rejected it. So the next page sends again what
 * a beacon sent, and the service counts it once: a browser does not report what happened to a beacon. The repeats are
 * compressed with a batch that is sent anyway (docs/benchmarks.md has their size).
 *
 * A tab counts as alive while it holds the lock of its name, which the browser releases however the tab ends. Without
 * Web Locks no database is used and a journal is written only when its page is left, so that no other page finds the
 * journal of a living page.
 */
export const createOutbox = (inputs: OutboxInputs): Outbox => {
  const { name, config, mayKeep, journals, onDropped, onOrphaned } = inputs
  const entries = new Set<Entry>()
  const journal = createJournal(inputs)
  const newTab = () => `${name}/${uuidv7()}`
  let tab = newTab()
  let session: TabSession | undefined
  let leading: Promise<void> | undefined
  let endLeadership = () => {}

  /** Returns this tab's session, which it opens if needed; undefined if the database is not used. */
  const openSession = () => {
    // Locks are missing where the page is not secure.
    if (!mayKeep() || !navigator.locks) return undefined
    if (!session || session.signal.aborted) {
      endLeadership()
      if (session) tab = newTab()
      session = openTabSession(name, tab, onOrphaned)
      // The database may have been removed, with everything in it.
      session.signal.addEventListener('abort', () => {
        for (const entry of entries) entry.key = entry.isKept = undefined
      })
      leading = undefined
    }
    return session
  }
  const writeJournal = () => journal.write(tab, entries)
  const write = () => {
    const fresh = [...entries].filter(({ key }) => !key)
    // Checked first: nothing may start again after the page was left.
    const current = fresh.length ? openSession() : undefined
    if (!current) return
    for (const entry of fresh) entry.key = keyOf(entry, tab)
    const records = fresh.map(({ text, key }) => [text, key!] as const)
    current
      .run('readwrite', (events) => records.forEach(([text, key]) => events.put(text, key)))
      .then(
        () => {
          for (const entry of fresh) entry.isKept = !current.signal.aborted
          // What it held is in the database now.
          if (journal.exists(tab) && !current.signal.aborted) writeJournal()
        },
        () => {
          // The database is full or broken. The journal and this tab's memory still have the events.
          for (const entry of fresh) entry.key = undefined
          if (!current.signal.aborted) writeJournal()
        },
      )
      .catch(reportCaught)
    if (!current.isOpen()) writeJournal()
  }
  const forgetKeys = (keys: readonly Key[]) => {
    // A record that is not removed, because of an error or the page's end, is sent again by another page and counted once.
    if (keys.length)
      void session?.run('readwrite', (events) => keys.forEach((key) => events.delete(key))).catch(() => {})
  }
  const end = () => {
    endLeadership()
    session?.end()
  }
  const orphans = createOrphans({
    config,
    journal,
    openSession,
    currentTab: () => tab,
    adopt: (entry) => entries.add(entry),
    onDropped: (keys) => {
      forgetKeys(keys)
      for (const [, uuid, , , event] of keys) onDropped({ event, uuid }, 'queue_full')
    },
    onOrphaned,
  })

  return {
    keep: (entry) => {
      entries.add(entry)
      // A worker has no journal and may be terminated after any task.
      if (!journals()) queueMicrotask(() => guarded(write))
    },
    write,
    forget: (gone) => {
      gone.forEach((entry) => entries.delete(entry))
      const left = new Set([...entries].map((entry) => entry.journal))
      for (const { journal: name } of gone) if (name && !left.has(name)) journal.remove(name)
      forgetKeys(gone.flatMap(({ key }) => (key ? [key] : [])))
      if (journal.exists(tab)) writeJournal()
    },
    acquireLeadership: () => {
      const current = openSession()
      if (!current) return Promise.resolve(true)
      leading ??= current.hold(name, new Promise((done) => (endLeadership = done)))
      return within(
        LEADERSHIP_MS,
        leading.then(() => true),
        false,
      )
    },
    releaseLeadership: () => {
      endLeadership()
      leading = undefined
    },
    claimOrphans: async () => (mayKeep() ? orphans.claim() : []),
    align: () => {
      if (mayKeep()) return void later(openSession)
      entries.clear()
      end()
      journal.names().forEach(journal.remove)
      // A sandboxed frame has no databases; then nothing was kept.
      attempt(() => indexedDB.deleteDatabase(name))
    },
    onPageHide: () => {
      if (session && !session.signal.aborted) write()
      for (const entry of writeJournal()) entry.isKept = true
      for (const entry of entries) if (entry.isKept) entries.delete(entry)
      end()
      tab = newTab()
      orphans.forgetTaken()
    },
  }
}

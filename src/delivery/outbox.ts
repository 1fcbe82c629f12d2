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
  /** Whether anything may be kept in the browser. */
  mayKeep(): boolean
  /** Local storage, where pages have it. */
  journals(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
  /** A tab has gone, and may have left something. */
  onOrphaned(): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
}

/**
 * What waits to be sent, kept in the browser beside the memory of each tab, so that it outlives the tab; and which tab
 * sends. Where the browser keeps nothing every tab is alone with its memory, and nothing here does harm.
 */
export interface Outbox {
  /** Takes an entry, for `write`. Where there is no journal, writes it at the end of this task. */
  keep(entry: Entry): void
  /** Writes what was taken since, in a later task than the capture's. */
  write(): void
  /** Removes entries that the service has answered for, or that were dropped. */
  forget(entries: readonly Entry[]): void
  /** Waits until this tab leads the sending. False: others do not answer; send, but claim no orphans. */
  acquireLeadership(): Promise<boolean>
  releaseLeadership(): void
  /** Returns some entries of tabs that are gone, oldest first, each once. Only for the tab that leads. */
  claimOrphans(): Promise<Entry[]>
  /** Opens it where events may be kept; where not, removes everything, of all tabs, and every trace. */
  align(): void
  /** Keeps what is not kept yet (`isKept` of each entry says so), and releases all that marks the page as alive. */
  onPageHide(): void
}

// A tab that leads may back off or hang in a debugger: that keeps no other from sending.
const LEADERSHIP_MS = 5000

/**
 * The outbox: a record for each event in a database of its own, and until the database has confirmed the record, where
 * the page may not live to see that, the event's copy in the tab's journal in local storage: a synchronous write that
 * survives a renderer which ends in the middle of a transaction. An event leaves both when the service has answered for
 * it, never before: what a beacon took is sent again by the next page, and the service counts it once. Nothing in
 * a browser tells that page what became of a beacon, so to wait before sending again would only send later. The service
 * could be asked, but repeats ride compressed on a batch that is sent anyway: docs/benchmarks.md has their bytes.
 *
 * A tab counts as alive while it holds the lock of its name; the browser takes that from it however it ends. Without
 * Web Locks there is no database either, and a journal is written only when its page is left: no journal of a page that
 * goes on is ever found.
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

  /** Returns the session of this tab, a new one where there is none; undefined where nothing is kept in the database. */
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
    // Looked at first: after the page has left, nothing must begin again here.
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
          // Full, or broken: then the journal and the memory of this tab are all there is.
          for (const entry of fresh) entry.key = undefined
          if (!current.signal.aborted) writeJournal()
        },
      )
      .catch(reportCaught)
    if (!current.isOpen()) writeJournal()
  }
  const forgetKeys = (keys: readonly Key[]) => {
    // What cannot be removed, here or because the page has gone, is sent once more by another page, and counted once.
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
      // A worker has no journal and no last event: it may be terminated after any task.
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

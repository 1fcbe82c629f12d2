import { attempt, guarded, later, within } from '../lib/guard'
import { parseJson, toJson } from '../lib/json'
import { reportCaught } from '../lib/log'
import { uuidv7 } from '../lib/uuid'
import type { Config, DropReason } from '../types'

/** An event as it waits: its JSON text, and what must be known of it without reading that. */
export interface Entry {
  event: string
  uuid: string
  /** When it was captured, ms. */
  at: number
  text: string
  /** Key of its record in the browser, once the record is being written. */
  key?: Key
  /** Whether the database has confirmed the record. */
  isKept?: boolean
  /** The journal of another tab that it was found in. */
  journal?: string
  /** Largest batch it is sent in, once larger ones have failed. */
  most?: number
  /** Number of failed requests it was in. */
  fails?: number
  /** Time before which it is not sent again, ms of `performance.now`: it failed alone. */
  heldUntil?: number
}

/** A record's key tells all that decides on it, so that an outbox of megabytes is judged without being read. Oldest first. */
type Key = [at: number, uuid: string, tab: string, size: number, event: string]

export interface OutboxInputs {
  /** Of the database, the locks and the channel. */
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
  /** Writes an entry: in a later task where there is a journal, else at the end of this one. */
  keep(entry: Entry): void
  /** The service has answered for these, or they were dropped. */
  forget(entries: readonly Entry[]): void
  /** Waits until this tab leads the sending, and holds the lead until `cede`. False: others do not answer; send, but take over nothing. */
  lead(): Promise<boolean>
  cede(): void
  /** Some entries of tabs that are gone, oldest first, each once. Only for who leads. */
  orphans(): Promise<Entry[]>
  /** Opens it where events may be kept; where not, removes everything, of all tabs, and every trace. */
  align(): void
  /** The page goes: keeps what is not kept yet (`isKept` of each entry tells), and releases all that marks it as alive. */
  leave(): void
}

const EVENTS = 'events'
const MOST_ORPHANS = 250
// Characters of a journal: a fifth of what a site may have in local storage.
const MAX_JOURNAL = 1_000_000
// A tab that leads may back off or hang in a debugger; a database may never answer. Neither keeps others from sending.
const LEAD_MS = 5000
const ANSWER_MS = 3000

const keyOf = ({ at, uuid, text, event }: Entry, tab: string): Key => [at, uuid, tab, text.length, event]

const openDatabase = (name: string) =>
  new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => request.result.createObjectStore(EVENTS)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error)
  })

/** What a page holds while it counts as alive: a lock of its own, the database, the channel. `end` lets go of all. */
const beginLife = ({ name, onOrphaned }: Pick<OutboxInputs, 'name' | 'onOrphaned'>, tab: string) => {
  const ending = new AbortController()
  const { signal } = ending
  const ended = new Promise<void>((done) => signal.addEventListener('abort', () => done()))

  /** Resolves when this page has the lock, which it keeps until `until`. */
  const hold = (lock: string, until: Promise<void>, mode: LockMode = 'exclusive') =>
    new Promise<void>((granted, failed) => {
      const has = () => {
        granted()
        return until
      }
      navigator.locks.request(lock, { mode, signal }, has).catch(failed)
    })
  const watched = new Set([tab])
  /** The names of the living; hears of the end of each. A lock that is granted was its holder's, who is gone. */
  const watch = async () => {
    const living = (await navigator.locks.query()).held!.map((each) => each.name!)
    for (const each of living) {
      if (watched.has(each) || !each.startsWith(`${name}/`)) continue
      watched.add(each)
      hold(each, Promise.resolve(), 'shared').then(onOrphaned, () => {}) // fails when this page goes first
    }
    return living
  }
  // Alive before anything is kept: what is found with no living owner has truly lost it.
  let isOpen = false
  const database = Promise.all([openDatabase(name), hold(tab, ended)]).then(([opened]) => {
    const channel = new BroadcastChannel(name)
    channel.onmessage = watch
    channel.postMessage('I live')
    isOpen = true
    // Another tab, or the browser, removes it all.
    opened.onversionchange = opened.onclose = () => ending.abort()
    void ended.then(() => {
      channel.close()
      opened.close()
    })
    return opened
  })
  database.catch(() => {}) // whoever uses it hears of it
  return {
    signal,
    isOpen: () => isOpen,
    hold,
    watch,
    run: async <T>(mode: IDBTransactionMode, work: (events: IDBObjectStore) => T): Promise<T> => {
      const transaction = (await database).transaction(EVENTS, mode)
      const result = work(transaction.objectStore(EVENTS))
      // At once, not when the requests have answered: the page may not live to hear them.
      transaction.commit()
      return new Promise((done, failed) => {
        transaction.oncomplete = () => done(result)
        transaction.onabort = () => failed(transaction.error)
      })
    },
    end: () => ending.abort(),
  }
}

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
  const { name, config, mayKeep, journals, onDropped } = inputs
  const entries = new Set<Entry>()
  let life: ReturnType<typeof beginLife> | undefined
  let tab: string
  let timer: ReturnType<typeof setTimeout> | undefined
  let leading: Promise<void> | undefined
  let cede = () => {}
  let taken = new Set<string>()
  let hasJournal = false
  const beginTab = () => {
    tab = `${name}/${uuidv7()}`
    hasJournal = false
  }
  beginTab()
  const alive = () => {
    // Missing where the page is not secure.
    if (!mayKeep() || !navigator.locks) return undefined
    if (!life || life.signal.aborted) {
      cede()
      if (life) beginTab()
      life = beginLife(inputs, tab)
      // The database may have been removed, with everything in it.
      life.signal.addEventListener('abort', () => {
        for (const entry of entries) entry.key = entry.isKept = undefined
      })
      leading = undefined
    }
    return life
  }
  const journalNames = () =>
    guarded(() => Object.keys(journals() ?? {}).filter((each) => each.startsWith(`${name}/`))) ?? []
  /** Writes what the database has not confirmed to local storage, as much as there is room for, and returns that. */
  const journal = (): Entry[] => {
    let room = MAX_JOURNAL
    const unkept = [...entries].filter(({ isKept, text }) => !isKept && (room -= text.length) > 0)
    if (!mayKeep() || !(hasJournal || unkept.length)) return []
    // Local storage may be full, or missing.
    const isWritten = attempt(() => {
      const records = unkept.map(({ at, uuid, event, text }) => ({ at, uuid, event, text }))
      if (unkept.length) journals()!.setItem(tab, toJson(records))
      else journals()!.removeItem(tab)
      hasJournal = unkept.length > 0
      return true
    })
    return isWritten ? unkept : []
  }
  const keepNow = () => {
    clearTimeout(timer)
    timer = undefined
    const fresh = [...entries].filter(({ key }) => !key)
    // Looked at first: after the page has left, nothing must begin again here.
    const here = fresh.length ? alive() : undefined
    if (!here) return
    for (const entry of fresh) entry.key = keyOf(entry, tab)
    const keeping = fresh.map(({ text, key }) => [text, key!] as const)
    here
      .run('readwrite', (events) => keeping.forEach(([text, key]) => events.put(text, key)))
      .then(
        () => {
          for (const entry of fresh) entry.isKept = !here.signal.aborted
          // What it held is in the database now.
          if (hasJournal && !here.signal.aborted) journal()
        },
        () => {
          // Full, or broken: then the journal and the memory of this tab are all there is.
          for (const entry of fresh) entry.key = undefined
          if (!here.signal.aborted) journal()
        },
      )
      .catch(reportCaught)
    if (!here.isOpen()) journal()
  }
  const forgetKeys = (keys: readonly Key[]) => {
    // What cannot be removed, here or because the page has gone, is sent once more by another page, and counted once.
    if (keys.length) void life?.run('readwrite', (events) => keys.forEach((key) => events.delete(key))).catch(() => {})
  }
  const end = () => {
    cede()
    life?.end()
  }
  /** Returns those of the entries found that this tab had not taken yet, which are its own from now on. */
  const adopt = (found: readonly Entry[]): Entry[] =>
    found.filter((entry) => {
      // Without a text: removed meanwhile, with everything the site had stored.
      if (!entry.text || taken.has(entry.uuid)) return false
      taken.add(entry.uuid)
      entries.add(entry)
      return (entry.isKept = true)
    })
  /** Returns what tabs that are gone have left in their journals. */
  const readJournals = async (): Promise<Entry[]> => {
    const names = journalNames()
    const living = (await alive()?.watch()) ?? []
    return names.flatMap((each) => {
      if (each === tab || living.includes(each)) return []
      return ([parseJson(journals()!.getItem(each))].flat() as (Entry | null)[]).flatMap((entry) =>
        entry?.uuid && entry.text ? { ...entry, key: keyOf(entry, each), journal: each } : [],
      )
    })
  }
  const readDatabase = async (here: NonNullable<typeof life>): Promise<Entry[]> => {
    const { result } = await here.run('readonly', (events) => events.getAllKeys())
    const keys = result as unknown as Key[]
    const living = await here.watch()
    const dropped: Key[] = []
    let room = config.outbox_max_bytes
    // From the newest: what does not fit beside what is newer is dropped.
    const isFound = (key: Key) => {
      const [, uuid, owner, length, event] = key
      const fits = length <= room
      if (fits) room -= length
      if (living.includes(owner) || taken.has(uuid)) return false
      if (!fits) {
        taken.add(uuid)
        dropped.push(key)
        onDropped({ event, uuid }, 'queue_full')
      }
      return fits
    }
    const found = keys.reverse().filter(isFound).reverse().slice(0, MOST_ORPHANS)
    forgetKeys(dropped)
    const texts = await here.run('readonly', (events) => found.map((key) => events.get(key)))
    return found.map((key, index) => {
      const [at, uuid, , , event] = key
      return { at, uuid, event, key, text: texts[index]!.result as string }
    })
  }

  return {
    keep: (entry) => {
      entries.add(entry)
      // A worker has no journal and no last event: it may be terminated after any task.
      if (journals()) timer ??= later(keepNow)
      else queueMicrotask(() => guarded(keepNow))
    },
    forget: (gone) => {
      gone.forEach((entry) => entries.delete(entry))
      const left = new Set([...entries].map((entry) => entry.journal))
      for (const { journal } of gone) if (journal && !left.has(journal)) guarded(() => journals()!.removeItem(journal))
      forgetKeys(gone.flatMap(({ key }) => (key ? [key] : [])))
      if (hasJournal) journal()
    },
    lead: () => {
      const here = alive()
      if (!here) return Promise.resolve(true)
      leading ??= here.hold(name, new Promise((done) => (cede = done)))
      return within(
        LEAD_MS,
        leading.then(() => true),
        false,
      )
    },
    cede: () => {
      cede()
      leading = undefined
    },
    orphans: async () => {
      if (!mayKeep()) return []
      const left = adopt(await readJournals())
      const here = alive()
      if (left.length || !here) return left
      const reading = readDatabase(here)
      const found = await within(ANSWER_MS, reading, undefined)
      // Looks again once the database answers, if it ever does.
      if (!found) reading.then(({ length }) => length && inputs.onOrphaned()).catch(() => {})
      return adopt(found ?? [])
    },
    align: () => {
      if (mayKeep()) return void later(alive)
      entries.clear()
      end()
      journalNames().forEach((each) => journals()!.removeItem(each))
      // A sandboxed frame has no databases; then nothing was kept.
      attempt(() => indexedDB.deleteDatabase(name))
    },
    leave: () => {
      if (life && !life.signal.aborted) keepNow()
      for (const entry of journal()) entry.isKept = true
      for (const entry of entries) if (entry.isKept) entries.delete(entry)
      end()
      beginTab()
      taken = new Set()
    },
  }
}

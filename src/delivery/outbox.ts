import { later } from '../lib/guard'
import { uuidv7 } from '../lib/uuid'
import type { Config, DropReason } from '../types'

/** An event as it waits: its JSON text, and what must be known of it without reading that. */
export interface Entry {
  event: string
  uuid: string
  /** When it was captured, ms. */
  at: number
  text: string
  /** Where it lies in the browser, once it does. */
  key?: Key
}

/** A record's key tells all that decides on it, so that an outbox of megabytes is judged without being read. Oldest first. */
type Key = [at: number, uuid: string, tab: string, size: number, event: string]

export interface OutboxInputs {
  /** Of the database, the locks and the channel. */
  name: string
  config: Pick<Config, 'outbox_max_bytes'>
  /** Whether anything may be kept in the browser. */
  mayKeep(): boolean
  /** A tab has gone, and may have left something. */
  onOrphaned(): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
}

/**
 * What waits to be sent, kept in the browser beside the memory of each tab, so that it outlives the tab; and which tab
 * sends. Where the browser keeps nothing every tab is alone with its memory, and nothing here does harm.
 */
export interface Outbox {
  /** Keeps an entry, in a task of its own. */
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
  /** The page goes: keeps what is not kept yet, and lets go of everything by which it counts as alive. */
  leave(): void
}

const EVENTS = 'events'
const MOST_ORPHANS = 250
// A tab that leads may hang in a debugger or an alert; a database may never answer. Neither keeps events from being sent.
const LEAD_MS = 60_000
const ANSWER_MS = 3000

/** What comes of `promise`, or `otherwise` if it fails or nothing comes for `ms`. */
const within = <T>(ms: number, promise: Promise<T>, otherwise: T): Promise<T> =>
  new Promise((done) => {
    const timer = later(() => done(otherwise), ms)
    promise
      .catch(() => otherwise)
      .then((result) => {
        clearTimeout(timer)
        done(result)
      })
  })

const openDatabase = (name: string) =>
  new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => request.result.createObjectStore(EVENTS)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error)
  })

/** What a page holds while it counts as alive: a lock of its own, the database, the channel. `end` lets go of all. */
const beginLife = ({ name, onOrphaned }: Pick<OutboxInputs, 'name' | 'onOrphaned'>) => {
  const tab = `${name}/${uuidv7()}`
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
  const database = Promise.all([openDatabase(name), hold(tab, ended)]).then(([opened]) => {
    const channel = new BroadcastChannel(name)
    channel.onmessage = watch
    channel.postMessage('I live')
    // Another tab removes it all.
    opened.onversionchange = () => ending.abort()
    void ended.then(() => {
      channel.close()
      opened.close()
    })
    return opened
  })
  database.catch(() => {}) // whoever uses it hears of it
  return {
    tab,
    signal,
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
 * The outbox: a record for each event in a database of its own. A record leaves it when the service has answered for
 * its event, never before: what a beacon took is sent again by the next page, and the service counts it once. Nothing in
 * a browser tells that page what became of a beacon, so to wait before sending again would only send later. The service
 * could be asked, but repeats ride compressed on a batch that is sent anyway: docs/benchmarks.md has their bytes.
 *
 * A tab counts as alive while it holds the lock of its name; the browser takes that from it however it ends.
 */
export const createOutbox = (inputs: OutboxInputs): Outbox => {
  const { name, config, mayKeep, onDropped } = inputs
  let life: ReturnType<typeof beginLife> | undefined
  let unkept = new Set<Entry>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let leading: Promise<void> | undefined
  let cede = () => {}
  let taken = new Set<string>()

  const alive = () => {
    // Missing where the page is not secure.
    if (!mayKeep() || !navigator.locks) return undefined
    if (!life || life.signal.aborted) {
      cede()
      life = beginLife(inputs)
      taken = new Set()
      leading = undefined
    }
    return life
  }
  const keepNow = () => {
    clearTimeout(timer)
    timer = undefined
    const { tab, run } = alive() ?? {}
    const entries = [...unkept]
    unkept = new Set()
    if (!run || !entries.length) return
    for (const entry of entries) entry.key = [entry.at, entry.uuid, tab!, entry.text.length, entry.event]
    run('readwrite', (events) => entries.forEach(({ text, key }) => events.put(text, key))).catch(() => {
      // Full, or broken: then the memory of this tab is all there is.
      for (const entry of entries) delete entry.key
    })
  }
  const forgetKeys = (keys: readonly Key[]) => {
    // What cannot be removed, here or because the page has gone, is sent once more by another page, and counted once.
    if (keys.length) void life?.run('readwrite', (events) => keys.forEach((key) => events.delete(key))).catch(() => {})
  }
  const end = () => {
    cede()
    life?.end()
    life = undefined
  }

  return {
    keep: (entry) => {
      unkept.add(entry)
      timer ??= later(keepNow)
    },
    forget: (entries) => {
      entries.forEach((entry) => unkept.delete(entry))
      forgetKeys(entries.flatMap(({ key }) => (key ? [key] : [])))
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
    orphans: () => {
      const here = alive()
      const find = async (): Promise<Entry[]> => {
        const { result } = await here!.run('readonly', (events) => events.getAllKeys())
        const keys = result as unknown as Key[]
        const living = await here!.watch()
        let size = keys.reduce((sum, key) => sum + key[3], 0)
        const dropped: Key[] = []
        const found: Key[] = []
        for (const key of keys) {
          const [, uuid, tab, length, event] = key
          if (living.includes(tab) || taken.has(uuid)) continue
          const isOver = size > config.outbox_max_bytes
          if (!isOver && found.length === MOST_ORPHANS) break
          taken.add(uuid)
          if (isOver) {
            size -= length
            dropped.push(key)
            onDropped({ event, uuid }, 'queue_full')
          } else found.push(key)
        }
        forgetKeys(dropped)
        const texts = await here!.run('readonly', (events) => found.map((key) => events.get(key)))
        return found.map((key, index) => ({
          at: key[0],
          uuid: key[1],
          event: key[4],
          key,
          text: texts[index]!.result as string,
        }))
      }
      if (!here) return Promise.resolve([])
      let isOver = false
      const found = find().then((entries) => {
        // Too late for who asked: what was found is asked for again.
        if (isOver && entries.length) {
          entries.forEach(({ uuid }) => taken.delete(uuid))
          inputs.onOrphaned()
        }
        return entries
      })
      return within(ANSWER_MS, found, []).finally(() => (isOver = true))
    },
    align: () => {
      if (mayKeep()) return void later(alive)
      unkept.clear()
      end()
      try {
        indexedDB.deleteDatabase(name)
      } catch {
        // A sandboxed frame has no databases; then nothing was kept.
      }
    },
    leave: () => {
      if (unkept.size) keepNow()
      end()
    },
  }
}

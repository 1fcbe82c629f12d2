import type { Key } from './entry'
import { holdLock } from './locks'

const EVENTS = 'events'

const openDatabase = (name: string) =>
  new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => request.result.createObjectStore(EVENTS)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error!)
  })

/**
 * Opens the resources that a tab holds while it has events that wait: a lock named `tab`, and, from the first `run` on, the
 * database and the channel named `name`. `end` releases all of it. `onOpened` is called when another tab has opened the
 * database.
 */
export const openTabSession = (name: string, tab: string, onOpened: () => void) => {
  const ending = new AbortController()
  const { signal } = ending
  const ended = new Promise<void>((done) => signal.addEventListener('abort', () => done()))
  const hold = (lock: string, until: Promise<void>) => holdLock(lock, until, { signal })
  let leading: Promise<void> | undefined
  let endLeadership = () => {}
  const alive = hold(tab, ended)
  alive.catch(() => {}) // Ended before the lock was granted.

  let database: Promise<IDBDatabase> | undefined
  let isOpen = false
  const open = async () => {
    // Holds the lock before anything is stored, so that events of a tab without a lock are orphans.
    const [opened] = await Promise.all([openDatabase(name), alive])
    const channel = new BroadcastChannel(name)
    channel.onmessage = onOpened
    channel.postMessage('started')
    isOpen = true
    // Another tab or the browser deletes the database.
    opened.onversionchange = opened.onclose = () => ending.abort()
    void ended.then(() => {
      channel.close()
      opened.close()
    })
    return opened
  }
  const openOnce = () => (database ??= open())
  const run = async <T>(mode: IDBTransactionMode, work: (events: IDBObjectStore) => T): Promise<T> => {
    const transaction = (await openOnce()).transaction(EVENTS, mode)
    const result = work(transaction.objectStore(EVENTS))
    // Synchronously, because the page may end before the requests finish.
    transaction.commit()
    return new Promise((done, failed) => {
      transaction.oncomplete = () => done(result)
      transaction.onabort = () => failed(transaction.error!)
    })
  }
  return {
    signal,
    /** Waits until this tab is the one that sends. */
    lead: () =>
      (leading ??= hold(
        name,
        new Promise((done) => {
          endLeadership = done
          void ended.then(done)
        }),
      )),
    endLeadership: () => {
      endLeadership()
      leading = undefined
    },
    /** Whether events are stored in the database, or will be once it has opened. */
    usesDatabase: () => !!database && !signal.aborted,
    isOpen: () => isOpen,
    /** Opens the database. Those who run something in it handle the error. */
    open: () => void openOnce().catch(() => {}),
    run,
    /** Writes records. */
    put: (records: readonly (readonly [text: string, key: Key])[]) =>
      run('readwrite', (events) => records.forEach(([text, key]) => events.put(text, key))),
    remove: (keys: readonly Key[]) => run('readwrite', (events) => keys.forEach((key) => events.delete(key))),
    end: () => ending.abort(),
  }
}

export type TabSession = ReturnType<typeof openTabSession>

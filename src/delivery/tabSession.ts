const EVENTS = 'events'

const openDatabase = (name: string) =>
  new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => request.result.createObjectStore(EVENTS)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error!)
  })

/**
 * Opens the resources that a page holds while it counts as alive: a lock named `tab`, and the database and the channel named `name`.
 * `end` releases all of it. `onOrphaned` is called when another tab has closed.
 */
export const openTabSession = (name: string, tab: string, onOrphaned: () => void) => {
  const ending = new AbortController()
  const { signal } = ending
  const ended = new Promise<void>((done) => signal.addEventListener('abort', () => done()))

  /** Resolves when this page has the lock, which it holds until `until`. */
  const hold = (lock: string, until: Promise<void>, mode: LockMode = 'exclusive') =>
    new Promise<void>((granted, failed) => {
      const has = () => {
        granted()
        return until
      }
      navigator.locks.request(lock, { mode, signal }, has).catch(failed)
    })
  const watched = new Set([tab])
  /** Returns the names of living tabs, and waits for the lock of each, which is granted when that tab ends. */
  const watch = async (): Promise<string[]> => {
    const living = (await navigator.locks.query()).held!.map((each) => each.name!)
    for (const each of living) {
      if (watched.has(each) || !each.startsWith(`${name}/`)) continue
      watched.add(each)
      hold(each, Promise.resolve(), 'shared').then(onOrphaned, () => {}) // fails when this page goes first
    }
    return living
  }
  // Takes the lock before anything is stored, so that events of a tab without a lock are orphans.
  let isOpen = false
  const database = Promise.all([openDatabase(name), hold(tab, ended)]).then(([opened]) => {
    const channel = new BroadcastChannel(name)
    channel.onmessage = watch
    channel.postMessage('started')
    isOpen = true
    // Another tab or the browser deletes the database.
    opened.onversionchange = opened.onclose = () => ending.abort()
    void ended.then(() => {
      channel.close()
      opened.close()
    })
    return opened
  })
  database.catch(() => {}) // Those who use the database handle the error.
  return {
    signal,
    isOpen: () => isOpen,
    hold,
    watch,
    run: async <T>(mode: IDBTransactionMode, work: (events: IDBObjectStore) => T): Promise<T> => {
      const transaction = (await database).transaction(EVENTS, mode)
      const result = work(transaction.objectStore(EVENTS))
      // Synchronously, because the page may end before the requests finish.
      transaction.commit()
      return new Promise((done, failed) => {
        transaction.oncomplete = () => done(result)
        transaction.onabort = () => failed(transaction.error!)
      })
    },
    end: () => ending.abort(),
  }
}

export type TabSession = ReturnType<typeof openTabSession>

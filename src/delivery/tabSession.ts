const EVENTS = 'events'

const openDatabase = (name: string) =>
  new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => request.result.createObjectStore(EVENTS)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error!)
  })

/**
 * Opens what a page holds while it counts as alive: a lock called `tab`, the database and the channel called `name`. `end`
 * releases all of it. `onOrphaned`: another tab has gone.
 */
export const openTabSession = (name: string, tab: string, onOrphaned: () => void) => {
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
  /** Returns the names of the tabs that live, and watches for the end of each: then its lock is granted here. */
  const watch = async (): Promise<string[]> => {
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
    channel.postMessage('started')
    isOpen = true
    // Another tab, or the browser, removes it all.
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
      // At once, not when the requests have answered: the page may not live to hear them.
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

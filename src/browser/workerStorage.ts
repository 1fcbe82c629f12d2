import { later } from '../lib/guard'
import { standInForLocalStorage, type KeyValueStorage } from './storage'

const DATABASE = 'trailmark'
const ENTRIES = 'entries'
// Maximum wait for the database, which may never respond. After it, this worker uses memory only.
const ANSWER_MS = 3000

const answerOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((done, failed) => {
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error!)
  })

/** Returns the database; undefined if there is none and it should not be created. */
const openDatabase = async (make: boolean): Promise<IDBDatabase | undefined> => {
  const request = indexedDB.open(DATABASE)
  let isMissing = false
  request.onupgradeneeded = () => {
    if (make) return void request.result.createObjectStore(ENTRIES)
    isMissing = true
    request.transaction!.abort()
  }
  return answerOf(request).catch((error) => {
    if (!isMissing) throw error
    return undefined
  })
}

/** A value and when it was set, ms. If two workers set it, the later one wins. null: removed. */
interface Entry {
  value: string | null
  at: number
}
/** Key of a record. Records are written without being read first. The latest record of a name has its value. */
type Key = [name: string, at: number]

const read = async (database: IDBDatabase): Promise<[name: string, entry: Entry][]> => {
  const entries = database.transaction(ENTRIES).objectStore(ENTRIES)
  const [keys, values] = await Promise.all([answerOf(entries.getAllKeys()), answerOf(entries.getAll())])
  return (keys as Key[]).map(([name, at], index) => [name, { value: values[index] as string | null, at }])
}

/** Writes without waiting for a response, because a worker may be stopped at any moment. */
const write = (database: IDBDatabase, name: string, { value, at }: Entry) => {
  const transaction = database.transaction(ENTRIES, 'readwrite')
  const entries = transaction.objectStore(ENTRIES)
  entries.put(value, [name, at] satisfies Key)
  entries.delete(IDBKeyRange.bound([name], [name, at], false, true))
  transaction.commit()
}

/**
 * Local storage for workers: entries in memory, read once. Each change is written to IndexedDB and sent to the origin's
 * other workers, which receive a `storage` event as pages do.
 */
const open = async (): Promise<KeyValueStorage> => {
  const entries = new Map<string, Entry>()
  /** Applies an entry unless the current one is newer. Returns whether it was applied. */
  const take = (name: string, entry: Entry) => (entries.get(name)?.at ?? 0) <= entry.at && !!entries.set(name, entry)

  const channel = new BroadcastChannel(DATABASE)
  channel.onmessage = ({ data: [name, entry] }: MessageEvent<[string, Entry]>) => {
    if (take(name, entry)) self.dispatchEvent(Object.assign(new Event('storage'), { key: name, storageArea: storage }))
  }
  // Created only when there is something to store.
  let database: Promise<IDBDatabase | undefined> | undefined
  const change = (name: string, value: string | null) => {
    // Later than the value it replaces, even if the clock was set back.
    const entry = {
      value,
      at: Math.max(performance.timeOrigin + performance.now(), (entries.get(name)?.at ?? 0) + 0.001),
    }
    take(name, entry)
    channel.postMessage([name, entry])
    database ??= openDatabase(true)
    // If the database fails, values stay in memory.
    database.then((opened) => write(opened!, name, entry)).catch(() => {})
  }
  const getItem = (name: string) => entries.get(name)?.value ?? null
  const storage: KeyValueStorage = {
    getItem,
    setItem: (name, value) => {
      change(name, value)
      return true
    },
    removeItem: (name) => {
      if (getItem(name) !== null) change(name, null)
    },
  }
  const existing = await openDatabase(false)
  if (existing) {
    database = Promise.resolve(existing)
    for (const [name, entry] of await read(existing)) take(name, entry)
  }
  return storage
}

let opening: Promise<void> | undefined

/** Replaces local storage in a worker. Resolves when the storage is open or has failed. */
export const openWorkerStorage = (): Promise<void> =>
  (opening ??= Promise.race([
    open().catch(() => undefined),
    new Promise<undefined>((done) => void later(() => done(undefined), ANSWER_MS)),
  ]).then(standInForLocalStorage))

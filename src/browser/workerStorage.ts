import { later } from '../lib/guard'
import { standInForLocalStorage, type KeyValueStorage } from './storage'

const DATABASE = 'trailmark'
const ENTRIES = 'entries'
// A database may never answer. What it holds is not lost then: this one time the worker has its memory alone.
const ANSWER_MS = 3000

const answerOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((done, failed) => {
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error!)
  })

/** The database; undefined if there is none and it is not to be made. */
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

/** A value, and when it was set, ms: of two that were set at once the later one holds, everywhere. null: there is none. */
interface Entry {
  value: string | null
  at: number
}
/** A record's key, so that a record is written without being read: the later of a name is its entry. */
type Key = [name: string, at: number]

const read = async (database: IDBDatabase): Promise<[name: string, entry: Entry][]> => {
  const entries = database.transaction(ENTRIES).objectStore(ENTRIES)
  const [keys, values] = await Promise.all([answerOf(entries.getAllKeys()), answerOf(entries.getAll())])
  return (keys as Key[]).map(([name, at], index) => [name, { value: values[index] as string | null, at }])
}

/** All in one go, with no answer awaited: a worker may be stopped at any moment. */
const write = (database: IDBDatabase, name: string, { value, at }: Entry) => {
  const transaction = database.transaction(ENTRIES, 'readwrite')
  const entries = transaction.objectStore(ENTRIES)
  entries.put(value, [name, at] satisfies Key)
  entries.delete(IDBKeyRange.bound([name], [name, at], false, true))
  transaction.commit()
}

/**
 * What workers have for local storage: entries in memory, read once, each change of which goes to IndexedDB and to the
 * origin's other workers. They hear of it as pages do, by a `storage` event.
 */
const open = async (): Promise<KeyValueStorage> => {
  const entries = new Map<string, Entry>()
  /** Whether that is news. */
  const take = (name: string, entry: Entry) => (entries.get(name)?.at ?? 0) <= entry.at && !!entries.set(name, entry)

  const channel = new BroadcastChannel(DATABASE)
  channel.onmessage = ({ data: [name, entry] }: MessageEvent<[string, Entry]>) => {
    if (take(name, entry)) self.dispatchEvent(Object.assign(new Event('storage'), { key: name, storageArea: storage }))
  }
  // Made only when there is something to keep.
  let database: Promise<IDBDatabase | undefined> | undefined
  const change = (name: string, value: string | null) => {
    // Later than what it replaces, also where the clock was set back since.
    const entry = {
      value,
      at: Math.max(performance.timeOrigin + performance.now(), (entries.get(name)?.at ?? 0) + 0.001),
    }
    take(name, entry)
    channel.postMessage([name, entry])
    database ??= openDatabase(true)
    // A database that takes nothing leaves the memory.
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

/** Resolves when the worker's storage stands in for local storage, or, where it cannot be had, when that is known. */
export const openWorkerStorage = (): Promise<void> =>
  (opening ??= Promise.race([
    open().catch(() => undefined),
    new Promise<undefined>((done) => void later(() => done(undefined), ANSWER_MS)),
  ]).then(standInForLocalStorage))

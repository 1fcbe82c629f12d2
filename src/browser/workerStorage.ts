import { later } from '../lib/guard'
import { standInForLocalStorage, type Storing } from './storage'
import { hasPage } from './page'

/** Whether this is a worker of a browser, of whatever kind. Servers that call themselves workers have no IndexedDB. */
export const isWorker = () => !hasPage() && 'WorkerGlobalScope' in globalThis && 'indexedDB' in globalThis

const DATABASE = 'trailmark'
const ENTRIES = 'entries'
// A database may never answer. What it holds is not lost then: this one time the worker has its memory alone.
const ANSWER_MS = 3000

const answerOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((done, failed) => {
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error)
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

const read = async (): Promise<Map<string, string>> => {
  const database = await openDatabase(false)
  if (!database) return new Map()
  const entries = database.transaction(ENTRIES).objectStore(ENTRIES)
  const [names, values] = await Promise.all([answerOf(entries.getAllKeys()), answerOf(entries.getAll())])
  database.close()
  return new Map(names.map((name, index) => [name as string, values[index] as string]))
}

/**
 * What workers have for local storage: entries in memory, read once, each change of which goes to IndexedDB and to the
 * origin's other workers. They hear of it as pages do, by a `storage` event.
 */
const open = async (): Promise<Storing> => {
  const changes = new Map<string, { value: string | null; at: number }>()
  const channel = new BroadcastChannel(DATABASE)
  channel.onmessage = ({ data: [name, value, at] }: MessageEvent<[string, string | null, number]>) => {
    // Two that write at once would each take the other's: the later one holds, in both.
    if ((changes.get(name)?.at ?? 0) > at) return
    changes.set(name, { value, at })
    self.dispatchEvent(Object.assign(new Event('storage'), { key: name, storageArea: storage }))
  }
  let database: Promise<IDBDatabase | undefined> | undefined
  const change = async (name: string, value: string | null) => {
    const at = performance.timeOrigin + performance.now()
    changes.set(name, { value, at })
    channel.postMessage([name, value, at])
    const transaction = (await (database ??= openDatabase(true)))!.transaction(ENTRIES, 'readwrite')
    const entries = transaction.objectStore(ENTRIES)
    if (value === null) entries.delete(name)
    else entries.put(value, name)
    // At once: a service worker may be stopped at any moment.
    transaction.commit()
  }
  // A database that takes nothing leaves the memory.
  const set = (name: string, value: string | null) => void change(name, value).catch(() => {})
  const kept = await read()
  const getItem = (name: string) => (changes.has(name) ? changes.get(name)!.value : (kept.get(name) ?? null))
  const storage: Storing = {
    getItem,
    setItem: set,
    removeItem: (name) => {
      if (getItem(name) !== null) set(name, null)
    },
  }
  return storage
}

let opening: Promise<void> | undefined

/** Resolves when the worker's storage stands in for local storage, or, where it cannot be had, when that is known. */
export const openWorkerStorage = (): Promise<void> =>
  (opening ??= Promise.race([open().catch(() => undefined), new Promise<undefined>((done) => void later(() => done(undefined), ANSWER_MS))]).then(standInForLocalStorage))

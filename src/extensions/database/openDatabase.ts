import type { Entry, Key, OpenDatabase } from '../../lib/entry'
import { claimRecords, type Run } from './claim'
import { recordOf } from './records'

const EVENTS = 'events'

// Size of a record in characters, beyond which it gets no further event. Writing and deleting a record takes about as long as
// capturing an event, so a record has several; but all of them are sent again if one was not acknowledged in time.
const RECORD_SIZE = 100_000

/** Returns `entries` in groups, each for one record. */
const inRecords = (entries: readonly Entry[]): Entry[][] => {
  const groups: Entry[][] = []
  let room = 0
  for (const entry of entries) {
    if (room <= 0) {
      groups.push([])
      room = RECORD_SIZE
    }
    groups[groups.length - 1]!.push(entry)
    room -= entry.text.length
  }
  return groups
}

const connect = (name: string) =>
  new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => request.result.createObjectStore(EVENTS)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error!)
  })

/** Opens the database and the channel `name`, once the tab has its lock. Both are closed when the tab's session ends. */
export const openDatabase: OpenDatabase = ({ name, tab, signal, alive, end, onOpened }) => {
  let isOpen = false
  const ended = new Promise<void>((done) => (signal.aborted ? done() : signal.addEventListener('abort', () => done())))
  const open = async () => {
    // Holds the lock before anything is stored, so that events of a tab without a lock are orphans.
    const [opened] = await Promise.all([connect(name), alive])
    const channel = new BroadcastChannel(name)
    channel.onmessage = onOpened
    channel.postMessage('started')
    isOpen = true
    // Another tab or the browser deletes the database.
    opened.onversionchange = opened.onclose = end
    // Not at once: what was just written or removed has not begun its transaction, which a closed database rejects.
    void ended.then(() => {
      channel.close()
      opened.close()
    })
    return opened
  }
  const opening = open()
  opening.catch(() => {})
  const run: Run = async (mode, work) => {
    const transaction = (await opening).transaction(EVENTS, mode)
    const result = work(transaction.objectStore(EVENTS))
    // Synchronously, because the page may end before the requests finish.
    transaction.commit()
    return new Promise((done, failed) => {
      transaction.oncomplete = () => done(result)
      transaction.onabort = () => failed(transaction.error!)
    })
  }
  const remove = (keys: readonly Key[]) => {
    if (keys.length && !signal.aborted)
      run('readwrite', (events) => keys.forEach((key) => events.delete(key))).catch(() => {})
  }
  return {
    isOpen: () => isOpen,
    put: (entries) => {
      const records = inRecords(entries).map((group) => {
        const [record, text] = recordOf(group, tab)
        for (const entry of group) entry.records = [record]
        return [text, record.key] as const
      })
      return run('readwrite', (events) => records.forEach(([text, key]) => events.put(text, key)))
    },
    remove,
    claim: (claim) => claimRecords(run, remove, claim),
  }
}

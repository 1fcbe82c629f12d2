/** Work that several charts wait for. */
interface Shared {
  readonly promise: Promise<unknown>
  readonly controller: AbortController
  users: number
}

/** Charts that appear within this time get one result. */
const KEPT_MS = 1_000
const shared = new Map<string, Shared>()

const start = (key: string, work: (signal: AbortSignal) => Promise<unknown>): Shared => {
  const controller = new AbortController()
  const forget = () => {
    if (shared.get(key) === entry) shared.delete(key)
  }
  const promise = work(controller.signal)
  promise.then(() => setTimeout(forget, KEPT_MS), forget)
  controller.signal.addEventListener('abort', forget)
  const entry: Shared = { promise, controller, users: 0 }
  shared.set(key, entry)
  return entry
}

/**
 * Does work once for all who ask for the same key at the same time. It is aborted when the last of them leaves. Rejects
 * when `signal` is aborted.
 */
export const share = <Value>(
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> => {
  const entry = shared.get(key) ?? start(key, work)
  entry.users += 1
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      entry.users -= 1
      if (!entry.users) entry.controller.abort()
      reject(new DOMException('Aborted', 'AbortError'))
    }
    signal.addEventListener('abort', onAbort, { once: true })
    void entry.promise
      .finally(() => signal.removeEventListener('abort', onAbort))
      .then((value) => resolve(value as Value), reject)
  })
}

import { holdLock } from './locks'

/** Opens what a tab holds while it has events that wait: a lock named `tab`. `end` releases it. */
export const openTabSession = (name: string, tab: string) => {
  const ending = new AbortController()
  const { signal } = ending
  const ended = new Promise<void>((done) => signal.addEventListener('abort', () => done()))
  const hold = (lock: string, until: Promise<void>) => holdLock(lock, until, { signal })
  let leading: Promise<void> | undefined
  let endLeadership = () => {}
  const alive = hold(tab, ended)
  alive.catch(() => {}) // Ended before the lock was granted.
  return {
    signal,
    /** Resolves when the tab has its lock. */
    alive,
    /** Waits until this tab is the sender. */
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
    end: () => ending.abort(),
  }
}

export type TabSession = ReturnType<typeof openTabSession>

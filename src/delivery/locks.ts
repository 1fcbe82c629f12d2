import { attempt } from '../lib/attempt'

/** Returns the browser's locks; undefined where the page is not secure, or has broken them. */
export const locks = (): LockManager | undefined => attempt(() => navigator.locks)

/** Requests a Web Lock. Resolves when this page has it, which it holds until `until`. */
export const holdLock = (name: string, until: Promise<void>, options: LockOptions) =>
  new Promise<void>((granted, failed) => {
    const has = () => {
      granted()
      return until
    }
    navigator.locks.request(name, options, has).catch(failed)
  })

/**
 * Watches other tabs. A tab holds the lock of its name while it has events that wait. `onEnded` gets the name of one
 * that holds it no more.
 */
export const createTabWatch = (name: string, onEnded: (tab: string) => void) => {
  const watched = new Set<string>()
  let watching = new AbortController()

  /** Waits for the lock of a tab, which is granted when that tab ends. */
  const watch = (tab: string) => {
    if (watched.has(tab)) return
    watched.add(tab)
    holdLock(tab, Promise.resolve(), { mode: 'shared', signal: watching.signal }).then(
      () => {
        watched.delete(tab)
        onEnded(tab)
      },
      () => {}, // This page ended first.
    )
  }
  return {
    watch,
    /** Returns the names of the tabs that hold their locks, and watches all but `own`. */
    living: async (own: string): Promise<string[]> => {
      // A shared lock is held by a tab that watches another one.
      const held = (await navigator.locks.query()).held!.filter(({ mode }) => mode === 'exclusive')
      const living = held.map((each) => each.name!).filter((each) => each.startsWith(`${name}/`))
      living.filter((each) => each !== own).forEach(watch)
      return living
    },
    stop: (): void => {
      watching.abort()
      watching = new AbortController()
      watched.clear()
    },
  }
}

export type TabWatch = ReturnType<typeof createTabWatch>

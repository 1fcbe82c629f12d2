import { attempt } from '../../lib/attempt'
import type { SurveyStorage } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'

// Time after which a lease that was not renewed has expired, ms: its tab has ended, because a busy page delays timers far less.
const LEASE_MS = 10_000
const RENEWAL_MS = 1000

const leases = new Map<string, string>()

type Timers = Pick<ExtensionHost, 'later'>

/** Claims a name with an entry in storage, which is renewed until it is released or another tab takes it. */
const claimByLease = (
  name: string,
  storage: SurveyStorage | undefined,
  { later }: Timers,
  onLost: () => void,
): Stop | undefined => {
  const read = () => (storage?.getItem(name) ?? '0 ').split(' ')
  const [until, owner] = read()
  if (+until! > Date.now() && owner !== leases.get(name)) return undefined
  const id = String(Math.random())
  leases.set(name, id)
  const isTaken = () => ![id, ''].includes(read()[1]!)
  let timer: ReturnType<typeof setTimeout>
  const write = () => {
    storage?.setItem(name, `${Date.now() + LEASE_MS} ${id}`)
    // The browser may have held this tab back for longer than the lease.
    timer = later(() => (isTaken() ? onLost() : write()), RENEWAL_MS)
  }
  const drop = () => {
    if (!isTaken()) storage?.removeItem(name)
  }
  write()
  // The next page may show the survey at once. A page that returns from the back/forward cache renews its lease.
  addEventListener('pagehide', drop)
  return () => {
    clearTimeout(timer)
    removeEventListener('pagehide', drop)
    leases.delete(name)
    drop()
  }
}

/**
 * Claims a survey for this tab, so that no other shows it. Resolves with a function that releases it; undefined: another
 * tab shows it. By a Web Lock, or a lease in storage on pages without them. `onLost`: another tab has taken the lease over.
 */
export const claim = (
  name: string,
  storage: SurveyStorage | undefined,
  timers: Timers,
  onLost: () => void,
): Promise<Stop | undefined> =>
  new Promise((done) => {
    const fallBack = () => done(claimByLease(name, storage, timers, onLost))
    const locks = attempt(() => navigator.locks as LockManager | undefined)
    if (!locks) return fallBack()
    // Async, because a page may have replaced the method with one that throws.
    const request = async () =>
      locks.request(name, { ifAvailable: true }, (lock) =>
        lock ? new Promise<void>((release) => done(release)) : done(undefined),
      )
    request().catch(fallBack)
  })

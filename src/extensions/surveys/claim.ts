import type { SurveyStorage } from '../../host'
import type { Stop } from '../../types'

// A lease that is not renewed belonged to a tab that has ended, ms.
const LEASE_MS = 3000

const leases = new Map<string, string>()

/** Claims a name by an entry in storage, which is renewed until released. */
const claimByLease = (name: string, storage: SurveyStorage | undefined): Stop | undefined => {
  const [until, owner] = (storage?.getItem(name) ?? '0 ').split(' ')
  if (+until! > Date.now() && owner !== leases.get(name)) return undefined
  const id = String(Math.random())
  leases.set(name, id)
  const renew = () => void storage?.setItem(name, `${Date.now() + LEASE_MS} ${id}`)
  renew()
  const timer = setInterval(renew, LEASE_MS / 3)
  return () => {
    clearInterval(timer)
    leases.delete(name)
    storage?.removeItem(name)
  }
}

/**
 * Claims a survey for this tab, so that no other shows it. Resolves with a function that releases it; undefined: another
 * tab shows it. By a Web Lock, or a lease in storage on pages without them.
 */
export const claim = (name: string, storage: SurveyStorage | undefined): Promise<Stop | undefined> =>
  new Promise((done) => {
    const fallBack = () => done(claimByLease(name, storage))
    const locks = navigator.locks as LockManager | undefined
    if (!locks) return fallBack()
    locks
      .request(name, { ifAvailable: true }, (lock) =>
        lock ? new Promise<void>((release) => done(release)) : done(undefined),
      )
      .catch(fallBack)
  })

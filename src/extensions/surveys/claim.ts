import type { SurveyStorage } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'

// A lease that is not renewed belonged to a tab that has ended, ms.
const LEASE_MS = 3000

const leases = new Map<string, string>()

type Timers = Pick<ExtensionHost, 'later'>

/** Claims a name by an entry in storage, which is renewed until released. */
const claimByLease = (name: string, storage: SurveyStorage | undefined, { later }: Timers): Stop | undefined => {
  const [until, owner] = (storage?.getItem(name) ?? '0 ').split(' ')
  if (+until! > Date.now() && owner !== leases.get(name)) return undefined
  const id = String(Math.random())
  leases.set(name, id)
  let timer: ReturnType<typeof setTimeout>
  const renew = () => {
    storage?.setItem(name, `${Date.now() + LEASE_MS} ${id}`)
    timer = later(renew, LEASE_MS / 3)
  }
  renew()
  return () => {
    clearTimeout(timer)
    leases.delete(name)
    storage?.removeItem(name)
  }
}

/**
 * Claims a survey for this tab, so that no other shows it. Resolves with a function that releases it; undefined: another
 * tab shows it. By a Web Lock, or a lease in storage on pages without them.
 */
export const claim = (name: string, storage: SurveyStorage | undefined, timers: Timers): Promise<Stop | undefined> =>
  new Promise((done) => {
    const fallBack = () => done(claimByLease(name, storage, timers))
    const locks = navigator.locks as LockManager | undefined
    if (!locks) return fallBack()
    locks
      .request(name, { ifAvailable: true }, (lock) =>
        lock ? new Promise<void>((release) => done(release)) : done(undefined),
      )
      .catch(fallBack)
  })

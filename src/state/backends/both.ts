import { pick } from '../../lib/objects'
import type { Properties } from '../../types'
import { idsOf, isKey } from '../keys'
import { identityAt } from '../newest'
import type { Backend } from './backend'

type Decided = { distinct_id?: string; $sesid?: [number, string, number] }

/**
 * Resolves a conflict between cookie and local storage. A cookie may come from another subdomain and be newer, or be
 * left over from an old visit. The identity that was set later wins, without values of the other person. The session
 * that was used later wins.
 */
export const reconcile = (cookie: Properties | undefined, local: Properties | undefined): Properties | undefined => {
  if (!cookie || !local) return cookie ?? local
  const [theirs, ours]: Decided[] = [cookie, local]
  if (theirs!.distinct_id && theirs!.distinct_id !== ours!.distinct_id) {
    if (identityAt(local) > identityAt(cookie)) return local
    const ofBrowser = pick(local, (name) => isKey(name, 'browser'))
    return { ...ofBrowser, ...cookie }
  }
  const isTheirsLater = (theirs!.$sesid?.[0] ?? 0) > (ours!.$sesid?.[0] ?? 0)
  // The cookie wins if both are equally new, so that subdomains agree.
  const newer = identityAt(local) > identityAt(cookie) ? local : cookie
  // Keeps the order of `local`, so that its text stays the same.
  return { ...local, ...cookie, ...local, ...idsOf(newer), $sesid: (isTheirsLater ? theirs : ours)!.$sesid }
}

/** Stores everything in `local`, and ids in `cookie` too, which subdomains share. */
export const bothBackends = (cookie: Backend, local: Backend): Backend => ({
  read: (missing) => reconcile(cookie.read(), local.read(missing)),
  write: (values) => {
    const kept = local.write(values)
    // Without a cookie, local storage is enough. Only subdomains do not share it.
    cookie.write(idsOf(values))
    return kept
  },
  clear: () => {
    local.clear()
    cookie.clear()
  },
  hasChanged: () => local.hasChanged!() || cookie.hasChanged!(),
})

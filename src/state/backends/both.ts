import { pick } from '../../lib/objects'
import type { Properties } from '../../types'
import { isKey } from '../keys'
import type { Backend } from './backend'

type Decided = { distinct_id?: string; $identity_at?: number; $sesid?: [number, string, number] }

/**
 * What holds when cookie and local storage disagree. Neither wins by what it is: a cookie may come from another
 * subdomain and be newer, or be all that is left of an old visit. The identity that was decided later is right; it
 * takes nothing with it that belonged to the other person. Of two sessions the one used later goes on.
 */
export const reconcile = (cookie: Properties | undefined, local: Properties | undefined): Properties | undefined => {
  if (!cookie || !local) return cookie ?? local
  const [theirs, ours]: Decided[] = [cookie, local]
  if (theirs!.distinct_id && theirs!.distinct_id !== ours!.distinct_id) {
    if ((ours!.$identity_at ?? 0) > (theirs!.$identity_at ?? 0)) return local
    const ofBrowser = pick(local, (name) => isKey(name, 'browser'))
    return { ...ofBrowser, ...cookie }
  }
  const isTheirsLater = (theirs!.$sesid?.[0] ?? 0) > (ours!.$sesid?.[0] ?? 0)
  // In the order of `local`, whose text then stays the same.
  return { ...local, ...cookie, ...local, ...(isTheirsLater ? { $sesid: theirs!.$sesid } : {}) }
}

/** Everything in `local`, and the ids in `cookie` too, where subdomains see them. */
export const bothBackends = (cookie: Backend, local: Backend): Backend => ({
  read: (missing) => reconcile(cookie.read(), local.read(missing)),
  write: (values) => {
    const kept = local.write(values)
    // Where there is no cookie, local storage does: only subdomains miss it.
    cookie.write(pick(values, (name) => isKey(name, 'cookie')))
    return kept
  },
  clear: () => {
    local.clear()
    cookie.clear()
  },
  hasChanged: () => local.hasChanged!() || cookie.hasChanged!(),
})

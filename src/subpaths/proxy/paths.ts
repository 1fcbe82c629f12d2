// The paths of the SDK. The API and the console of the service are not for visitors.
const SDK =
  /^\/(?:e|i\/v0\/e|s|batch|capture|track|engage|flags|decide|array\/.+|static\/.+|toolbar\/.+|external_surveys\/.+|api\/surveys|api\/early_access_features)\/?$/
// No `%2f`, no `\`, no empty segment.
const PLAIN = /^(?:\/[\w.~:-]+)+\/?$/
const SCRIPT = /^\/(\d+\.\d+\.\d[\w.-]*\/)?([\w-]+\.js)$/
const CACHED = /^\/(?:static|array|api)\//

/** Whether responses to a GET of a path of the service may be stored, as their `Cache-Control` says. */
export const isCacheable = (path: string): boolean => CACHED.test(path)

/** Whether a path of the service is one of the toolbar, the only ones with a session. */
export const isOfToolbar = (path: string): boolean => path.startsWith('/toolbar/')

/** Returns a prefix with a leading slash and without a trailing one. */
export const normalizedPrefix = (prefix: string): string => `/${prefix}`.replace(/\/+/g, '/').replace(/\/$/, '')

/**
 * Returns the path of the service for a path of the site. `undefined`: it is not a path of the SDK. `/a.js` is the script
 * of the SDK, because blockers know the name `analytics.js`. It loads other scripts from the same folder.
 */
export const servicePath = (pathname: string, prefix: string): string | undefined => {
  if (!pathname.startsWith(`${prefix}/`)) return undefined
  const path = pathname.slice(prefix.length)
  const [, version = '', file] = SCRIPT.exec(path) ?? []
  const found = file ? `/static/${version}${file === 'a.js' ? 'analytics.js' : file}` : path
  const isSafe = PLAIN.test(found) && !/\/\.\.?(?:\/|$)/.test(found)
  return isSafe && SDK.test(found) ? found : undefined
}

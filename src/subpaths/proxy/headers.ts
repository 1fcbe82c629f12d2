const TO_SERVICE =
  /^(?:accept|accept-language|content-type|content-encoding|user-agent|origin|referer|if-none-match|sec-ch-ua.*|access-control-request-.*)$/
const OF_TOOLBAR = /^(?:x-trailmark-toolbar|sec-fetch-site)$/
const TOOLBAR_COOKIE = /^__Host-trailmark_toolbar_\d+=/
// The rest is about the connection to the service, or for its own host. `fetch` unpacks bodies, so their encoding and length
// are not those that the service sent.
const TO_BROWSER =
  /^(?:cache-control|content-type|etag|last-modified|retry-after|vary|x-request-id|x-content-type-options|cross-origin-resource-policy|content-security-policy|x-frame-options|referrer-policy|access-control-.*)$/

/** Request header by which a proxy recognizes its own requests. */
export const VIA = 'x-trailmark-proxy'

const only = (headers: Headers, names: RegExp): Headers => {
  const kept = new Headers()
  headers.forEach((value, name) => names.test(name) && kept.set(name, value))
  return kept
}

/** Adds the session of the toolbar, and nothing that belongs to the site. */
const addToolbar = (kept: Headers, headers: Headers): void => {
  only(headers, OF_TOOLBAR).forEach((value, name) => kept.set(name, value))
  const cookies = (headers.get('cookie') ?? '').split(/; */).filter((cookie) => TOOLBAR_COOKIE.test(cookie))
  if (cookies.length > 0) kept.set('cookie', cookies.join('; '))
  // A browser cannot add this header to requests of forms and links, so the authorization is not the site's either.
  const authorization = headers.get('authorization')
  if (headers.get('x-trailmark-toolbar') === '1' && /^Bearer /i.test(authorization ?? ''))
    kept.set('authorization', authorization!)
}

/** Returns the headers for the service: no cookies and credentials of the site, and no address that the visitor claims. */
export const headersToService = (
  headers: Headers,
  { ip, via, isToolbar }: { ip: string | undefined; via: string; isToolbar: boolean },
): Headers => {
  const kept = only(headers, TO_SERVICE)
  if (isToolbar) addToolbar(kept, headers)
  if (ip) kept.set('x-forwarded-for', ip)
  // By default, `fetch` would ask for a new copy each time.
  if (kept.has('if-none-match')) kept.set('cache-control', 'max-age=0')
  kept.set(VIA, via)
  return kept
}

/** Returns the headers for the browser. Of cookies only that of the toolbar. */
export const headersToBrowser = (
  headers: Headers,
  { isToolbar, isCached }: { isToolbar: boolean; isCached: boolean },
): Headers => {
  const kept = only(headers, TO_BROWSER)
  if (!isCached) kept.set('cache-control', 'no-store')
  if (isToolbar)
    for (const cookie of headers.getSetCookie()) if (TOOLBAR_COOKIE.test(cookie)) kept.append('set-cookie', cookie)
  return kept
}

/** Returns the address of the visitor: the last in a list, which the nearest proxy has added. `undefined`: not an address. */
export const addressOf = (value: string | null | undefined): string | undefined => {
  const last = value?.split(',').pop()!.trim()
  return last && /^[\da-f:.]{3,45}$/i.test(last) ? last : undefined
}

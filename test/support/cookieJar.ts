interface Stored {
  name: string
  value: string
  /** Without its dot; the page's host if `isHostOnly`. */
  domain: string
  isHostOnly: boolean
  path: string
  isSecure: boolean
  isHttpOnly: boolean
}

const PUBLIC_SUFFIXES = ['uk', 'co.uk']
const isWithin = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)
const isUnder = (path: string, of: string) =>
  path === of || (path.startsWith(of) && (of.endsWith('/') || path[of.length] === '/'))

/** Returns a jar of cookies as a browser keeps them (RFC 6265bis) for the page at `location`, and puts it at `document.cookie`. */
export const useCookieJar = () => {
  let cookies: Stored[] = []
  const isSecurePage = location.protocol === 'https:'
  const isSame = (a: Stored, b: Stored) =>
    a.name === b.name && a.domain === b.domain && a.isHostOnly === b.isHostOnly && a.path === b.path

  const visible = () =>
    cookies
      .filter(
        (each) =>
          (each.isHostOnly ? location.hostname === each.domain : isWithin(location.hostname, each.domain)) &&
          isUnder(location.pathname, each.path) &&
          (isSecurePage || !each.isSecure) &&
          !each.isHttpOnly,
      )
      .sort((a, b) => b.path.length - a.path.length)

  const set = (text: string) => {
    const [pair, ...rest] = text.split(';').map((part) => part.trim())
    const attributes = Object.fromEntries(
      rest.map((part) => {
        const [name, value = ''] = part.split(/=(.*)/) as [string, string?]
        return [name.toLowerCase(), value]
      }),
    ) as Record<string, string | undefined>
    const [name, value = ''] = pair!.split(/=(.*)/) as [string, string?]
    const domain = attributes.domain?.replace(/^\./, '')
    const { pathname, hostname } = location
    const cookie: Stored = {
      name,
      value,
      domain: domain || hostname,
      isHostOnly: !domain,
      path: attributes.path?.startsWith('/') ? attributes.path : pathname.slice(0, pathname.lastIndexOf('/')) || '/',
      isSecure: 'secure' in attributes,
      isHttpOnly: false,
    }
    if (pair!.length > 4096 || PUBLIC_SUFFIXES.includes(cookie.domain) || !isWithin(hostname, cookie.domain)) return
    const isBlocked = (each: Stored) =>
      (isSame(each, cookie) && each.isHttpOnly) ||
      (!isSecurePage &&
        each.isSecure &&
        each.name === name &&
        (isWithin(each.domain, cookie.domain) || isWithin(cookie.domain, each.domain)) &&
        isUnder(cookie.path, each.path))
    if ((!isSecurePage && cookie.isSecure) || cookies.some(isBlocked)) return
    const isExpired = attributes['max-age']
      ? Number(attributes['max-age']) <= 0
      : !!attributes.expires && Date.parse(attributes.expires) <= Date.now()
    const index = cookies.findIndex((each) => isSame(each, cookie))
    if (isExpired) cookies = cookies.filter((_, at) => at !== index)
    else if (index < 0) cookies.push(cookie)
    else cookies[index] = cookie
  }

  jest.spyOn(Document.prototype, 'cookie', 'get').mockImplementation(() =>
    visible()
      .map(({ name, value }) => `${name}=${value}`)
      .join('; '),
  )
  jest.spyOn(Document.prototype, 'cookie', 'set').mockImplementation(set)
  return {
    /** Adds a cookie that a server or an earlier page has set. */
    add: (cookie: Stored) => {
      if (!cookies.some((each) => isSame(each, cookie))) cookies.push(cookie)
    },
    /** Returns the values that the page can see, decoded. */
    valuesOf: (name: string) =>
      visible()
        .filter((each) => each.name === name)
        .map(({ value }) => decodeURIComponent(value)),
    /** Whether scripts cannot replace a cookie of this name somewhere. */
    hasBlocked: (name: string) =>
      cookies.some((each) => each.name === name && (each.isHttpOnly || (each.isSecure && !isSecurePage))),
  }
}

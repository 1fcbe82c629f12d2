/** Functions that run in pages: Playwright passes their text to the browser, so each is complete in itself. */

/**
 * Makes an automated browser look like a person's, so that the bot filter of the SDK lets events pass. Returns a function
 * that restores it.
 */
export const passBotFilter = (): (() => void) => {
  const own = (name: string) => Object.getOwnPropertyDescriptor(Navigator.prototype, name)
  const agent = own('userAgent')
  const webdriver = own('webdriver')
  const brands = own('userAgentData')
  const plain = (text: string) => text.replace('HeadlessChrome', 'Chrome').replace(/ jsdom\/\S*| HappyDOM\/\S*/gi, '')
  const put = (name: string, get: (this: Navigator) => unknown) =>
    Object.defineProperty(Navigator.prototype, name, { configurable: true, enumerable: true, get })
  if (agent?.get)
    put('userAgent', function (this: Navigator) {
      return plain(agent.get!.call(this) as string)
    })
  put('webdriver', () => false)
  if (brands?.get)
    put('userAgentData', function (this: Navigator) {
      const data = brands.get!.call(this) as { brands?: { brand: string; version: string }[] } | undefined
      if (!data?.brands) return data
      const list = data.brands.map(({ brand, version }) => ({ brand: plain(brand), version }))
      return new Proxy(data, {
        get: (target, member) => {
          if (member === 'brands') return list
          const value: unknown = Reflect.get(target, member)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
    })
  return () => {
    for (const [name, descriptor] of Object.entries({ userAgent: agent, webdriver, userAgentData: brands }))
      if (descriptor) Object.defineProperty(Navigator.prototype, name, descriptor)
      else Reflect.deleteProperty(Navigator.prototype, name)
  }
}

/** Makes all SDKs on a page send what waits, as if it were hidden for a moment. */
export const hideForAMoment = (): void => {
  const fire = () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
  try {
    fire()
  } finally {
    Reflect.deleteProperty(document, 'visibilityState')
    fire()
  }
}

/** Sends beacons for `host` to `target`. Browsers do not show Playwright those of a page that is left. */
export const redirectBeacons = ([host, target]: readonly [host: string, target: string]): void => {
  const { sendBeacon } = Navigator.prototype
  Navigator.prototype.sendBeacon = function (url, body) {
    const { href } = new URL(url, location.href)
    return sendBeacon.call(this, href.startsWith(host) ? target + href.slice(host.length) : url, body)
  }
}

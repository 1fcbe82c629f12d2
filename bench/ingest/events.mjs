import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'

const PEOPLE = 10_000
const PAGES = [
  '/',
  '/pricing',
  '/docs/start',
  '/docs/api',
  '/blog/why',
  '/shop/shoes',
  '/shop/hats',
  '/cart',
  '/checkout',
  '/account',
]
const BROWSERS = [
  ['Chrome', 140],
  ['Safari', 18.1],
  ['Firefox', 131],
  ['Microsoft Edge', 140],
]
const pick = (list, n) => list[n % list.length]
const hex = (n, length) =>
  ((n * 2654435761) % 2 ** 32)
    .toString(16)
    .padStart(8, '0')
    .repeat(Math.ceil(length / 8))
    .slice(0, length)

/** Returns the 40 properties of the nth event, similar to those of a browser. */
const propertiesOf = (n) => {
  const person = (n * 7919) % PEOPLE
  const [browser, version] = pick(BROWSERS, person)
  const path = pick(PAGES, n)
  return {
    distinct_id: `visitor-${hex(person, 24)}`,
    $device_id: `device-${hex(person, 24)}`,
    $session_id: `session-${hex(person + (n >> 14), 24)}`,
    $window_id: `window-${hex(person, 24)}`,
    $current_url: `https://shop.example.com${path}?ref=${n % 97}`,
    $host: 'shop.example.com',
    $pathname: path,
    title: `Page ${path}`,
    $referrer: pick(['$direct', 'https://www.google.com/', 'https://news.example.com/'], n),
    $referring_domain: pick(['$direct', 'www.google.com', 'news.example.com'], n),
    $browser: browser,
    $browser_version: version,
    $os: pick(['Windows', 'Mac OS X', 'iOS', 'Android'], person),
    $os_version: pick(['10', '10.15.7', '18.0', '15'], person),
    $device_type: pick(['Desktop', 'Mobile'], person),
    $screen_width: pick([1920, 1440, 390], person),
    $screen_height: pick([1080, 900, 844], person),
    $viewport_width: pick([1903, 1425, 390], n),
    $viewport_height: pick([937, 789, 664], n),
    $browser_language: pick(['en-US', 'de-DE', 'fr-FR'], person),
    $browser_language_prefix: pick(['en', 'de', 'fr'], person),
    $timezone: pick(['America/New_York', 'Europe/Berlin', 'Europe/Paris'], person),
    $timezone_offset: pick([300, -60, -60], person),
    $raw_user_agent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${browser}/${version} Safari/537.36`,
    $lib: 'web',
    $lib_version: '2.0.0',
    $insert_id: hex(n, 16),
    $time: 1_795_000_000 + n / 1_000,
    $pageview_id: hex(n >> 2, 32),
    $is_identified: false,
    utm_source: pick(['google', 'newsletter', 'x'], person),
    utm_medium: pick(['cpc', 'email', 'social'], person),
    utm_campaign: `campaign-${person % 12}`,
    plan: pick(['free', 'pro', 'team'], person),
    cart_value: (n % 500) / 4,
    items: n % 7,
    currency: 'EUR',
    experiment: pick(['a', 'b'], person),
    is_member: person % 3 === 0,
    step: pick(['view', 'add', 'pay'], n),
  }
}

const nameOf = (n) => pick(['$pageview', '$autocapture', '$pageleave', 'added_to_cart', 'bought'], n)

// Version 7, like the UUIDs of SDKs and the service: it begins with the time.
const newUuid = () => {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/**
 * Returns bodies of deliveries as SDKs send them. They are compressed in advance, because sending shares the cores with the
 * service. The service assigns a `uuid` to each event without one, so a repeated body stores new events. `isNamed`: events
 * have a `uuid`.
 */
export const bodies = (token, { count, perBody, isNamed = false }) => {
  const eventOf = (n) => ({ ...(isNamed ? { uuid: newUuid() } : {}), event: nameOf(n), properties: propertiesOf(n) })
  return Array.from({ length: count }, (_, body) =>
    gzipSync(
      JSON.stringify({
        api_key: token,
        batch: Array.from({ length: perBody }, (_, index) => eventOf(body * perBody + index)),
      }),
    ),
  )
}

/** Returns the rows that the service writes for the same events, as lines of JSON. */
export const lines = (count) =>
  Array.from({ length: count }, (_, n) => {
    const properties = { ...propertiesOf(n), $browser_type: 'browser' }
    const { distinct_id, $session_id, $window_id } = properties
    return JSON.stringify({
      project_id: 1,
      uuid: newUuid(),
      event: nameOf(n),
      distinct_id,
      timestamp: Date.now(),
      elements_chain: '',
      $session_id,
      $window_id,
      properties,
    })
  })

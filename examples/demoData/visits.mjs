import { pick, uuidAt } from './random.mjs'
import { pageSignals, surveyEvents } from './signals.mjs'
import { ARRIVALS, COUNTRIES, DEVICES, ENTRIES, HOURS, NAMES, PAGES, PLANS, PRICES } from './world.mjs'

const HOST = 'larch-lantern.example'
const DAY_MS = 86_400_000
/** Share of visitors who come again, and how many visits they make at most. */
const RETURN_SHARE = 0.34
const MAX_VISITS = 9
/** Age of visits in ms until which heatmaps have points. */
const HEATMAP_AGE_MS = 30 * DAY_MS
/** Share of visitors who order because of the short checkout. */
const SHORT_CHECKOUT_GAIN = 0.12

const domainOf = (referrer) => (referrer ? new URL(referrer).host : '$direct')

/** The variant of a visitor in the experiment, and the flags that pages read, by path. */
const flagsOf = (random) => {
  const variant = random() < 0.5 ? 'control' : 'short'
  return {
    variant,
    flags: {
      '/': [['winter-theme', random() < 0.2]],
      '/basket': [['free-shipping', random() < 0.3]],
      '/checkout': [['express-checkout', variant]],
    },
  }
}

const createVisitor = (random, days, now) => {
  const isBound = random() < 0.22
  const name = NAMES[Math.floor(random() * NAMES.length)]
  const number = Math.floor(random() * 1e6)
  return {
    deviceId: uuidAt(random, now - days * DAY_MS),
    traits: { ...pick(random, COUNTRIES), ...pick(random, DEVICES) },
    // Who will sign in one day.
    person: isBound
      ? {
          id: `customer_${number}`,
          name,
          email: `${name.toLowerCase()}.${number}@mail.example`,
          plan: pick(random, PLANS),
        }
      : undefined,
    isSignedIn: false,
    ...flagsOf(random),
    company: isBound && random() < 0.2 ? `hut-${number % 12}` : undefined,
  }
}

/** Yields the events of one visit. */
function* visitEvents(random, visitor, start, { now, pages, survey }) {
  const arrival = pick(random, ARRIVALS)
  const { referrer, ...campaign } = arrival
  const sessionId = uuidAt(random, start)
  const entry = pick(random, ENTRIES)
  const base = {
    ...visitor.traits,
    ...campaign,
    $session_id: sessionId,
    $window_id: uuidAt(random, start),
    $device_id: visitor.deviceId,
    $host: HOST,
    $lib: 'web',
    '$feature/express-checkout': visitor.variant,
    ...(visitor.company ? { $groups: { company: visitor.company } } : {}),
    $referrer: referrer || '$direct',
    $referring_domain: domainOf(referrer),
    $session_entry_pathname: entry,
    $session_entry_url: `https://${HOST}${entry}`,
    $session_entry_referrer: referrer || '$direct',
    $session_entry_referring_domain: domainOf(referrer),
    ...Object.fromEntries(Object.entries(campaign).map(([key, value]) => [`$session_entry_${key}`, value])),
  }
  let time = start
  let path = entry
  let previous
  let basket = []
  const capture = (event, properties = {}) => ({
    event,
    uuid: uuidAt(random, time),
    distinct_id: visitor.isSignedIn ? visitor.person.id : visitor.deviceId,
    timestamp: new Date(time).toISOString(),
    properties: { ...base, $current_url: `https://${HOST}${path}`, $pathname: path, ...properties },
  })
  while (path && time < now) {
    const page = PAGES[path]
    yield capture('$pageview', {
      title: page.title,
      ...(previous
        ? { $prev_pageview_pathname: previous.path, $prev_pageview_duration: (time - previous.time) / 1000 }
        : {}),
    })
    previous = { path, time, isFirst: previous === undefined }
    const device = visitor.traits.$device_type
    yield* pageSignals({ random, path, device, capture, pages, isRecent: now - start < HEATMAP_AGE_MS })
    for (const [flag, value] of visitor.flags[path] ?? [])
      yield capture('$feature_flag_called', { $feature_flag: flag, $feature_flag_response: value })
    // Many look at one page for a few seconds.
    time += random() < (previous.isFirst ? 0.65 : 0.3) ? 1_500 + random() * 6_500 : 10_000 + random() ** 2 * 90_000
    if (page.product) yield capture('product viewed', { product: page.product, price: PRICES[page.product] })
    if (random() < 0.35) yield capture('$autocapture', { $event_type: 'click', $el_text: 'Read more' })
    if (path === '/checkout' && visitor.person && !visitor.isSignedIn && random() < 0.7) {
      const { id, ...traits } = visitor.person
      visitor.isSignedIn = true
      yield capture('$identify', { $anon_distinct_id: visitor.deviceId, $set: traits, distinct_id: id })
      if (visitor.company)
        yield capture('$groupidentify', {
          $group_type: 'company',
          $group_key: visitor.company,
          $group_set: { name: `Hut ${visitor.company.slice(4)}`, seats: 4 + (visitor.company.length % 3) * 10 },
        })
    }
    const isShort = path === '/checkout' && visitor.variant === 'short'
    const next = isShort && random() < SHORT_CHECKOUT_GAIN ? '/thank-you' : pick(random, page.next)
    if (next === '/basket' && page.product) {
      basket = [...basket, page.product]
      yield capture('product added', { product: page.product, price: PRICES[page.product] })
    }
    if (next === '/checkout') yield capture('checkout started', { items: basket.length || 1 })
    if (next === '/thank-you') {
      const total = basket.reduce((sum, name) => sum + PRICES[name], 0) || 34
      yield capture('order placed', { total, currency: 'EUR', items: basket.length || 1 })
      basket = []
      if (survey && random() < 0.3) yield* surveyEvents({ random, capture, survey })
    }
    if (next === null) {
      time += random() * 1_500
      yield capture('$pageleave', {
        $prev_pageview_pathname: path,
        $prev_pageview_duration: (time - previous.time) / 1000,
        $prev_pageview_max_scroll_percentage: Math.round(random() * 100) / 100,
      })
    }
    path = next
  }
}

/** More visits at weekends and toward today, fewer on Mondays. */
const weightOfDay = (age, days, date) =>
  (1 + 0.8 * (1 - age / days)) * [1.25, 0.8, 0.9, 0.95, 1, 1.1, 1.3][date.getUTCDay()]

/**
 * Yields `count` events of a shop over the last `days` days, visitor by visitor. The same seed and time yield the same
 * events. `pages`: sizes and boxes of recorded pages, by path. `survey`: the survey after an order, if there is one.
 */
export function* generateEvents({ random, count, days, now, pages, survey }) {
  const dayWeights = Array.from({ length: days }, (_, age) => [
    age,
    weightOfDay(age, days, new Date(now - age * DAY_MS)),
  ])
  let left = count
  while (left > 0) {
    const visitor = createVisitor(random, days, now)
    const visits = random() < RETURN_SHARE ? 2 + Math.floor(random() ** 2 * MAX_VISITS) : 1
    const ages = Array.from({ length: visits }, () => pick(random, dayWeights)).sort((a, b) => b - a)
    for (const age of ages) {
      const midnight = Math.floor((now - age * DAY_MS) / DAY_MS) * DAY_MS
      const start = midnight + (pick(random, HOURS) + random()) * 3_600_000
      if (start >= now) continue
      for (const event of visitEvents(random, visitor, start, { now, pages, survey })) {
        if (Date.parse(event.timestamp) > now || left === 0) break
        left--
        yield event
      }
    }
  }
}

import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import { useCookieJar } from './cookieJar'

const HOST = 'shop.example.co.uk'
const PAGES = ['/', '/a', '/a/b/page']
const ENTRY = 'ph_t_posthog'
const CONSENT = '__ph_opt_in_out_t'
const PERSISTENCE = ['cookie', 'localStorage+cookie', 'localStorage', 'sessionStorage', 'memory'] as const

/** Returns numbers from 0 to below 1 that follow from the seed (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/**
 * Visits pages of one host at random, with cookies of one name in random places, and returns what went wrong: a refusal that
 * was overruled, a decision of this visitor that did not last although it could be stored, an id from before a reset, several cookies
 * of one name after a page has begun.
 */
export const visitAtRandom = (seed: number): string[] => {
  const random = randomOf(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  const wrong: string[] = []
  const story: string[] = []
  const check = (what: string, isRight: boolean) => {
    if (!isRight) wrong.push(`seed ${seed}: ${what} after ${story.join(', ')}`)
  }
  localStorage.clear()
  sessionStorage.clear()
  const jar = useCookieJar()
  const analytics = createAnalytics({ features: FEATURES, makeLoad: () => () => Promise.reject(new Error('none')) })
  const persistence = pick(PERSISTENCE)
  const isIdKept = persistence !== 'memory'
  const isIdInCookie = persistence.includes('cookie')
  const isSecurePage = location.protocol === 'https:'

  const addTwin = (name: string, value: string) => {
    const domain = pick([HOST, HOST, 'example.co.uk'])
    const cookie = {
      name,
      value: encodeURIComponent(value),
      domain,
      isHostOnly: domain === HOST && random() < 0.5,
      path: pick(['/', '/', '/a', '/a/', '/a/b', '/a/b/page']),
      isSecure: random() < 0.3,
      isHttpOnly: random() < 0.05,
    }
    jar.add(cookie)
    story.push(
      `${name === ENTRY ? 'visitor' : 'consent'} ${value} at ${cookie.isHostOnly ? '' : '.'}${domain}${cookie.path}${cookie.isSecure ? ' secure' : ''}`,
    )
  }
  const twinOf = (id: string) => {
    const at = Math.floor(random() * 1e6)
    return JSON.stringify({
      distinct_id: id,
      ...(random() < 0.5 ? { $identity_at: at, $user_state: 'identified' } : {}),
      ...(random() < 0.3 ? { $last_posthog_reset: new Date(at).toISOString() } : {}),
      ...(random() < 0.5 ? { $sesid: [at, 's', at] } : {}),
    })
  }
  ;['old-1', 'old-2', 'old-3'].forEach((id) => random() < 0.6 && addTwin(ENTRY, twinOf(id)))
  ;['1', '0', 'no', 'yes', 'pending'].forEach((word) => random() < 0.25 && addTwin(CONSENT, word))

  /** Ids that belong to somebody before the last reset. */
  const gone = new Set<string>()
  let person: string | undefined
  /** The latest decision of these visits, while nothing stored elsewhere has overruled it. */
  let decision: string | undefined
  let inForce = 'pending'
  let path = '/'
  const open = () => {
    void analytics.shutdown()
    path = pick(PAGES)
    history.replaceState(null, '', path)
    const options = {
      persistence,
      cross_subdomain_cookie: random() < 0.5,
      // A page that is not secure can store no secure cookie at all.
      secure_cookie: isSecurePage && random() < 0.3,
      opt_out_capturing_persistence_type: pick(['localStorage', 'cookie'] as const),
    }
    story.push(`opening ${path} with ${JSON.stringify(options)}`)
    const refused = [...jar.valuesOf(CONSENT), localStorage.getItem(CONSENT)].some((word) =>
      /^(0|no)$/.test(word ?? ''),
    )
    const isWithdrawn = jar.valuesOf(CONSENT).includes('pending')
    analytics.init('t', {
      ...options,
      api_host: 'https://e.example',
      opt_out_useragent_filter: true,
      capture_pageview: false,
      capture_pageleave: false,
      autocapture: false,
      advanced_disable_flags: true,
    })
    const status = analytics.get_explicit_consent_status()
    check(`a refusal is ${status}`, !refused || status === 'denied')
    // A cookie that the browser protects may be all that the page could see of its refusal.
    if (decision === 'denied' && !jar.hasBlocked(CONSENT)) check(`the page's refusal is ${status}`, status === 'denied')
    if (decision === 'granted' && !refused && !isWithdrawn) check(`a grant is ${status}`, status === 'granted')
    if (decision !== status) decision = undefined
    inForce = status
    const id = analytics.get_distinct_id()
    check(`${id} is from before a reset`, !gone.has(id) || !isIdKept || jar.hasBlocked(ENTRY))
    const isBlocked = persistence === 'cookie' && jar.hasBlocked(ENTRY)
    if (person && isIdKept && !isBlocked) check(`${person} has become ${id}`, id === person)
    person = person && isIdKept && !isBlocked ? id : undefined
    if (isIdInCookie) check('several cookies of the visitor', jar.hasBlocked(ENTRY) || jar.valuesOf(ENTRY).length < 2)
    check('several cookies of consent', jar.hasBlocked(CONSENT) || jar.valuesOf(CONSENT).length < 2)
  }
  open()
  for (let step = 0; step < 8; step++) {
    const action = pick(['open', 'open', 'identify', 'reset', 'opt_in', 'opt_out'])
    if (action === 'open') {
      open()
      continue
    }
    story.push(action)
    if (action === 'identify' && !analytics.has_opted_out_capturing()) {
      person = `person-${step}`
      analytics.identify(person)
    } else if (action === 'reset') {
      gone.add(analytics.get_distinct_id())
      ;['old-1', 'old-2', 'old-3'].forEach((id) => gone.add(id))
      analytics.reset()
      person = analytics.get_distinct_id()
      check(`${person} is from before the reset`, !gone.has(person))
    } else if (action === 'opt_in') {
      analytics.opt_in_capturing({ captureEventName: null })
      decision = inForce = 'granted'
    } else if (action === 'opt_out') {
      analytics.opt_out_capturing()
      decision = inForce = 'denied'
    }
    if (person) check(`${person} is not the visitor`, analytics.get_distinct_id() === person)
    const status = analytics.get_explicit_consent_status()
    check(`${status} instead of ${inForce}`, status === inForce)
  }
  void analytics.shutdown()
  return wrong
}

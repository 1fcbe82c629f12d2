import type { Options } from '../../src/client/publicApi'
import { startAnalytics } from '../support/startAnalytics'

// Nothing that leaves the page contains what these options exclude.

const HASH = 'hash0secret'
const CLICK = 'click0secret'
const OWN = 'own0secret'
const AWAY = `https://else.example/x?gclid=${CLICK}&user%5Bid%5D=${OWN}&utm_source=news#${HASH}`
const NESTED = `https://else.example/?to=${encodeURIComponent(AWAY)}&x=1#${HASH}`

const EXCLUDED: Options = {
  disable_capture_url_hashes: true,
  mask_personal_data_properties: true,
  custom_personal_data_properties: ['user[id]', 'partner'],
  custom_campaign_params: ['partner'],
}

const PAGE = `
  <a id="away" href="${AWAY}">${NESTED}</a>
  <a id="near" href="#${HASH}" title="See ${AWAY}, please"><img id="image" src="${NESTED}"></a>
  <a id="relative" href="page#${HASH}">x</a>
  <form id="form" action="next?msclkid=${CLICK}#${HASH}"><button id="button" formaction="?gclid=${CLICK}" data-url='{"u":"${AWAY}"}' data-ph-capture-attribute-link="${NESTED}">Go</button></form>`

const arrive = () => {
  history.replaceState(null, '', `/shop?gclid=${CLICK}&partner=${OWN}&q=1#${HASH}`)
  Object.defineProperty(Document.prototype, 'referrer', { configurable: true, get: () => AWAY })
  document.title = `Shop ${AWAY}`
  document.body.innerHTML = PAGE
}

const act = async (page: ReturnType<typeof startAnalytics>) => {
  const { analytics, settle } = page
  for (const id of ['away', 'near', 'relative', 'image', 'button'])
    document.getElementById(id)!.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
  document.getElementById('form')!.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  getSelection()!.selectAllChildren(document.getElementById('away')!)
  document.getElementById('away')!.dispatchEvent(new Event('copy', { bubbles: true }))
  analytics.capture('own', { link: `see https://else.example/?gclid=${CLICK}` })
  analytics.captureException(new Error(`cannot load ${AWAY}`))
  analytics.setPersonProperties({ landed: `https://else.example/?partner=${OWN}` })
  analytics.identify('ada')
  history.pushState(null, '', `/cart?fbclid=${CLICK}#/${HASH}`)
  await settle(60_000)
  self.dispatchEvent(new Event('pagehide'))
  await settle(60_000)
}

const ALL_ON: Options = {
  capture_pageview: 'history_change',
  capture_pageleave: true,
  autocapture: { capture_copied_text: true },
  rageclick: true,
  capture_exceptions: true,
  person_profiles: 'always',
}

const bodies = (page: ReturnType<typeof startAnalytics>) =>
  [...page.requests.map(({ init }) => init.body as string), JSON.stringify(page.apiRequests)].join('\n')

const referrer = Object.getOwnPropertyDescriptor(Document.prototype, 'referrer')!
afterEach(() => Object.defineProperty(Document.prototype, 'referrer', referrer))
beforeEach(() => {
  document.addEventListener('click', (event) => event.preventDefault())
  arrive()
})

test('no request contains the hash of a URL or a masked parameter', async () => {
  const page = startAnalytics({ ...ALL_ON, ...EXCLUDED })
  await act(page)
  const names = new Set(page.sent.map(({ event }) => event))
  for (const name of ['$pageview', '$autocapture', '$copy_autocapture', '$exception', '$identify', 'own'])
    expect(names).toContain(name)
  const sent = bodies(page)
  expect(sent).toContain('$external_click_url')
  expect(sent).toContain('$initial_current_url')
  expect(sent).toContain('else.example/x?gclid=<masked>&user%5Bid%5D=<masked>&utm_source=news')
  for (const secret of [HASH, CLICK, OWN]) expect(sent).not.toContain(secret)
})

test('without the options, the same page sends all of them', async () => {
  const page = startAnalytics(ALL_ON)
  await act(page)
  for (const secret of [HASH, CLICK, OWN]) expect(bodies(page)).toContain(secret)
})

test('options that set_config turns on apply to what is stored', async () => {
  const page = startAnalytics({ ...ALL_ON, custom_campaign_params: ['partner'] })
  page.analytics.capture('first')
  await page.settle()
  expect(bodies(page)).toContain(CLICK)
  page.requests.length = page.apiRequests.length = page.sent.length = 0
  page.analytics.set_config(EXCLUDED)
  await act(page)
  expect(page.sent.find(({ event }) => event === 'own')!.properties).toMatchObject({
    gclid: '<masked>',
    partner: '<masked>',
    $session_entry_gclid: '<masked>',
  })
  for (const secret of [HASH, CLICK, OWN]) expect(bodies(page)).not.toContain(secret)
})

test.each([
  ['a hash of a color', { $el_text: 'Issue #5 is #ff0000', color: 'a/b#c' }],
  ['parameters of other names', { $current_url: 'https://a.example/?id=1&xgclid=2' }],
])('%s is sent as it is', (_, properties) => {
  const { analytics } = startAnalytics(EXCLUDED)
  expect(analytics.capture('x', properties)!.properties).toMatchObject(properties)
})

describe('property_denylist', () => {
  const DENIED = { property_denylist: ['email', '$initial_referrer'], property_blacklist: ['phone'] }
  const SECRETS = { email: 'ada@secret.example', phone: '555-secret' }

  test('reaches every property of events, persons and groups, and those sent with flag requests', async () => {
    const page = startAnalytics({ ...ALL_ON, ...DENIED })
    const { analytics } = page
    analytics.capture('own', { ...SECRETS, $set: { ...SECRETS, name: 'Ada' } }, { $set: SECRETS, $set_once: SECRETS })
    analytics.identify('ada', { ...SECRETS, plan: 'pro' }, SECRETS)
    analytics.setPersonProperties(SECRETS, SECRETS)
    analytics.group('company', 'acme', { ...SECRETS, size: 5 })
    analytics.setPersonPropertiesForFlags(SECRETS)
    analytics.setGroupPropertiesForFlags({ company: SECRETS })
    analytics.register(SECRETS)
    analytics.capture('last')
    await page.settle(60_000)
    const sent = bodies(page)
    for (const kept of ['"name":"Ada"', '"plan":"pro"', '"size":5']) expect(sent).toContain(kept)
    expect(page.apiRequests.at(-1)!.body).toMatchObject({ person_properties: { plan: 'pro' } })
    expect(sent).not.toContain('secret.example')
    expect(sent).not.toContain('555-secret')
    expect(sent).not.toContain('$initial_referrer"')
  })

  test('applies to properties that were stored before set_config set it', async () => {
    const page = startAnalytics(ALL_ON)
    page.analytics.setPersonPropertiesForFlags(SECRETS, false)
    page.analytics.setGroupPropertiesForFlags({ company: SECRETS }, false)
    page.analytics.set_config(DENIED)
    page.apiRequests.length = 0
    page.analytics.reloadFeatureFlags()
    await page.settle()
    expect(page.apiRequests).not.toHaveLength(0)
    expect(JSON.stringify(page.apiRequests)).not.toMatch(/secret\.example|555-secret/)
  })
})

import { createAttribution } from '../../src/state/attribution'
import { createStore } from '../../src/state/store'

const OPTIONS = { save_campaign_params: true, save_referrer: true, custom_campaign_params: [] }

const setUp = (options: Partial<typeof OPTIONS> = {}) => {
  jest.useFakeTimers()
  const page = { url: 'https://shop.example/?utm_source=news', referrer: 'https://www.google.com/search?q=tents' }
  const [store, tabStore] = [createStore(), createStore()]
  return {
    page,
    store,
    tabStore,
    attribution: createAttribution(
      { ...OPTIONS, ...options },
      store,
      tabStore,
      () => page.url,
      () => page.referrer,
    ),
  }
}

test('attribution keeps the campaign and referrer of the landing page for the tab during later pages of the site', () => {
  const { attribution, page } = setUp()
  attribution.properties()
  Object.assign(page, { url: 'https://shop.example/basket', referrer: 'https://shop.example/' })
  expect(attribution.properties()).toMatchObject({
    utm_source: 'news',
    $referrer: 'https://www.google.com/search?q=tents',
    $search_engine: 'google',
    ph_keyword: 'tents',
  })
})

test('attribution replaces all values of the previous campaign on a new landing', () => {
  const { attribution, page, tabStore } = setUp({ custom_campaign_params: ['partner'] as never })
  page.url = 'https://shop.example/?gclid=first&utm_source=google&utm_campaign=A&partner=acme'
  attribution.properties()
  Object.assign(page, { url: 'https://shop.example/?utm_source=newsletter', referrer: '' })
  expect(attribution.properties()).toMatchObject({ utm_source: 'newsletter' })
  for (const name of ['gclid', 'utm_campaign', 'partner', '$search_engine', 'ph_keyword'])
    expect(tabStore.all()).not.toHaveProperty(name)
})

test('attribution replaces the campaign when a search brings the visitor back, but not on a route change', () => {
  const { attribution, page, store, tabStore } = setUp()
  page.referrer = ''
  attribution.properties()
  // A new document in the same tab.
  const later = createAttribution(
    OPTIONS,
    store,
    tabStore,
    () => page.url,
    () => page.referrer,
  )
  Object.assign(page, { url: 'https://shop.example/', referrer: 'https://www.bing.com/' })
  later.properties()
  expect(tabStore.all()).toMatchObject({ $search_engine: 'bing' })
  expect(tabStore.all()).not.toHaveProperty('utm_source')
  page.url = 'https://shop.example/?utm_source=push'
  later.properties()
  page.url = 'https://shop.example/basket'
  expect(later.properties()).toMatchObject({ utm_source: 'push' })
})

test('attribution keeps the entry attributes of a session and sets new ones for the next session', () => {
  const { attribution, page } = setUp()
  attribution.beginSession('s1')
  Object.assign(page, { url: 'https://shop.example/basket', referrer: '' })
  attribution.beginSession('s1')
  expect(attribution.properties()).toMatchObject({
    $session_entry_pathname: '/',
    $session_entry_utm_source: 'news',
    $session_entry_search_engine: 'google',
  })
  attribution.beginSession('s2')
  expect(attribution.properties()).toMatchObject({
    $session_entry_pathname: '/basket',
    $session_entry_referrer: '$direct',
  })
  expect(attribution.properties()).not.toHaveProperty('$session_entry_utm_source')
})

test('attribution stores the initial attribution of a visitor once', () => {
  const { attribution, page } = setUp()
  expect(attribution.initialPerson()).toEqual({})
  attribution.properties()
  page.url = 'https://shop.example/later?utm_source=other'
  attribution.properties()
  expect(attribution.initialPerson()).toMatchObject({
    $initial_utm_source: 'news',
    $initial_pathname: '/',
    $initial_referring_domain: 'www.google.com',
  })
})

test('attribution stores neither campaign nor referrer when the options disable them', () => {
  const { attribution, store, tabStore } = setUp({ save_campaign_params: false, save_referrer: false })
  expect(attribution.properties()).toEqual({})
  expect([store.all(), tabStore.all()]).toEqual([{}, {}])
})

import { listenToConsole, NO_FLAGS, startAnalytics } from '../support/startAnalytics'

test('a personal API key is named as such, and no request contains it', async () => {
  const errors = listenToConsole('error')
  const { analytics, requests, apiRequests, settle } = startAnalytics({ capture_pageview: true }, ' phx_secret ')
  analytics.capture('x')
  analytics.identify('ada')
  analytics.reloadFeatureFlags()
  document.body.click()
  dispatchEvent(new Event('pagehide'))
  await settle(60_000)
  expect([requests, apiRequests]).toEqual([[], []])
  expect(errors.filter((line) => line.includes('personal API key'))).toHaveLength(1)
  expect(errors.join()).not.toContain('phx_secret')
  expect(JSON.stringify(localStorage)).not.toContain('phx_secret')
})

test.each([
  'YOUR_TOKEN',
  '<your project token>',
  'phc_...',
  '{{ token }}',
  '$TOKEN',
  'undefined',
  '<ph_project_token>',
])('the placeholder %s is named before anything is sent', (token) => {
  const errors = listenToConsole('error')
  const { requests, apiRequests } = startAnalytics({}, token)
  expect([requests, apiRequests]).toEqual([[], []])
  expect(errors).toEqual([expect.stringContaining(`init() got ${token}, a placeholder`)])
})

test('a project token is no placeholder', () => {
  const errors = listenToConsole('error')
  startAnalytics({}, 'phc_AbCdEf0123456789yourself')
  expect(errors).toEqual([])
})

test('an empty event name is reported', () => {
  const errors = listenToConsole('error')
  startAnalytics().analytics.capture('')
  expect(errors).toEqual([expect.stringContaining('capture() expects the name of an event, got ""')])
})

test('a key of a flag that does not exist is reported once', async () => {
  const warnings = listenToConsole('warn')
  const { analytics, setApiResponse, settle } = startAnalytics()
  setApiResponse(200, { ...NO_FLAGS, flags: { there: { key: 'there', enabled: false } } })
  analytics.getFeatureFlag('early')
  await settle()
  analytics.isFeatureEnabled('there')
  for (let times = 0; times < 3; times++) analytics.isFeatureEnabled('wrong')
  expect(warnings).toEqual([expect.stringContaining('there is no feature flag wrong')])
})

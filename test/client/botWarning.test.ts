import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const drive = (isDriven: boolean) => jest.spyOn(navigator, 'webdriver', 'get').mockReturnValue(isDriven)
beforeEach(() => Object.defineProperty(navigator, 'webdriver', { configurable: true, get: () => undefined }))
afterEach(() => Reflect.deleteProperty(navigator, 'webdriver'))

test('an automated browser gets one warning that names the option to set', () => {
  drive(true)
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
  for (let times = 0; times < 3; times++) expect(analytics.capture('x')).toBeUndefined()
  expect(analytics.drops()).toEqual({ bot: 3 })
  expect(lines).toEqual([
    expect.stringMatching(/This browser is automated or a bot.*events are dropped.*opt_out_useragent_filter: true/),
  ])
})

test('a bot that names itself gets the warning too', () => {
  jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (compatible; Googlebot/2.1)')
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
  analytics.capture('x')
  expect(lines).toEqual([expect.stringContaining('This browser is automated or a bot')])
})

test.each([
  ['of a person', false, false],
  ['whose events the option keeps', true, true],
])('a browser %s gets no warning', (_, isDriven, keepsBots) => {
  drive(isDriven)
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: keepsBots })
  expect(analytics.capture('x')).toBeDefined()
  expect(lines).toEqual([])
})

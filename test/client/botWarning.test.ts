import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const drive = (isDriven: boolean) => jest.spyOn(navigator, 'webdriver', 'get').mockReturnValue(isDriven)
beforeEach(() => Object.defineProperty(navigator, 'webdriver', { configurable: true, get: () => undefined }))
afterEach(() => Reflect.deleteProperty(navigator, 'webdriver'))

test('logs one bot warning that names the option to set for an automated browser', () => {
  drive(true)
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
  for (let times = 0; times < 3; times++) expect(analytics.capture('x')).toBeUndefined()
  expect(analytics.drops()).toEqual({ bot: 3 })
  expect(lines).toEqual([
    expect.stringMatching(/This browser is automated or a bot.*events are dropped.*opt_out_useragent_filter: true/),
  ])
})

test('logs the bot warning for a bot that identifies itself', () => {
  jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (compatible; Googlebot/2.1)')
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
  analytics.capture('x')
  expect(lines).toEqual([expect.stringContaining('This browser is automated or a bot')])
})

test.each(['jsdom/26.1.0', 'HappyDOM/0.0.0'])('unit tests of an application in %s send nothing', (name) => {
  jest
    .spyOn(navigator, 'userAgent', 'get')
    .mockReturnValue(`Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) ${name}`)
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: false })
  for (let times = 0; times < 3; times++) expect(analytics.capture('x')).toBeUndefined()
  expect(analytics.drops()).toEqual({ bot: 3 })
  expect(lines).toEqual([expect.stringContaining('This browser is automated or a bot')])
})

test.each([
  ['driven by a person', false, false],
  ['with opt_out_useragent_filter', true, true],
])('logs no bot warning for a browser %s', (_, isDriven, keepsBots) => {
  drive(isDriven)
  const lines = listenToConsole('warn')
  const { analytics } = startAnalytics({ opt_out_useragent_filter: keepsBots })
  expect(analytics.capture('x')).toBeDefined()
  expect(lines).toEqual([])
})

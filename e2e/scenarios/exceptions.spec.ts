import type { Route } from 'playwright/test'
import { buildFailingApp, FAILING_PAGE, shownFrame } from '../support/failingApp'
import { ready, waitUntil } from '../support/ready'
import { BUILDS, expect, test } from '../support/scenario'
import type { StoredEvent } from '../support/service'
import { QUIET } from '../support/world'

interface Exception {
  type: string
  value: string
  stack?: string
  mechanism?: { handled: boolean; synthetic: boolean }
  stacktrace?: { frames: { function: string }[] }
}

const exceptions = (events: readonly StoredEvent[]) => events.filter(({ event }) => event === '$exception')
const listOf = ({ properties }: StoredEvent) => properties.$exception_list as Exception[]
const valuesOf = (events: readonly StoredEvent[]) => exceptions(events).map((event) => listOf(event)[0]!.value)
const fetchedExtension = () =>
  performance.getEntriesByType('resource').some(({ name }) => /\/exceptions\.js/.test(name))

for (const build of BUILDS)
  test(`${build} build: an error becomes an issue with the frames of the source, and a page without errors loads nothing`, async ({
    page,
    site,
    put,
    stored,
    service,
  }, { outputDir }) => {
    site.page('/checkout.js', await buildFailingApp(outputDir, service), { 'Content-Type': 'text/javascript' })
    put(build, '/', FAILING_PAGE, QUIET)
    await page.goto(site.url)
    await ready(page)
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate(fetchedExtension)).toBe(false)

    await page.evaluate(() => {
      window.analytics.set_config({ capture_exceptions: true })
      window.analytics.addExceptionStep('Cart opened', { items: 2 })
    })
    await page.locator('#pay').click()
    const [event] = exceptions(await stored((events) => exceptions(events).length > 0))
    expect(listOf(event!)).toMatchObject([
      { type: 'RangeError', value: 'The cart has no total', mechanism: { handled: false, type: 'onerror' } },
    ])
    expect(event!.properties).toMatchObject({
      $exception_level: 'error',
      $exception_steps: [{ $message: 'Cart opened', items: 2 }],
    })
    expect(await shownFrame(service, event!)).toMatchObject({
      filename: 'checkout.ts',
      line: 3,
      is_mapped: true,
      source: { line: "  if (cart.total === null) throw new RangeError('The cart has no total')" },
    })
  })

test('errors right before a page is left arrive once, parsed if the extension has loaded, otherwise as text', async ({
  page,
  site,
  put,
  stored,
}) => {
  put('script', '/', '', QUIET)
  put('script', '/watched', '', { ...QUIET, capture_exceptions: true })
  put('script', '/next', '', QUIET)
  // The code does not load before the first page is left.
  const waiting: Route[] = []
  await page.route(/\/exceptions\.js/, (route) => void waiting.push(route))
  await page.goto(site.url)
  await ready(page)
  await page.evaluate(() => {
    window.analytics.captureException(new TypeError('reported while leaving'), { plan: 'pro' })
    location.href = '/watched'
  })
  await page.waitForURL('**/watched', { waitUntil: 'commit' })
  await page.unroute(/\/exceptions\.js/)
  await Promise.all(waiting.map((route) => route.continue().catch(() => {})))
  await ready(page)
  // A described error shows that the code has loaded and runs.
  await page.evaluate(() => {
    setTimeout(() => {
      throw new TypeError('thrown while staying')
    })
  })
  await stored((all) => valuesOf(all).includes('thrown while staying'))
  await page.evaluate(() => {
    setTimeout(() => {
      location.href = '/next'
      throw new TypeError('thrown while leaving')
    })
  })
  await page.waitForURL('**/next')
  const events = await stored((all) => exceptions(all).length >= 3)
  expect(valuesOf(events).sort()).toEqual([
    'TypeError: reported while leaving',
    'thrown while leaving',
    'thrown while staying',
  ])
  const [reported, thrown] = ['TypeError: reported while leaving', 'thrown while leaving'].map((value) =>
    exceptions(events).find((event) => listOf(event)[0]!.value === value),
  )
  expect(listOf(reported!)[0]!.stack).toContain('TypeError: reported while leaving\n    at ')
  expect(reported!.properties).toMatchObject({ plan: 'pro', $pathname: '/' })
  expect(listOf(thrown!)[0]!.stacktrace!.frames.length).toBeGreaterThan(0)
  expect(thrown!.properties.$pathname).toBe('/watched')
})

test('errors without an error object, of another frame, and of an inline script have the titles and positions of posthog-js', async ({
  page,
  site,
  put,
  stored,
}) => {
  const throwers = `() => missing(), () => { throw null }, () => { throw new frames[0].RangeError('far') },
    () => document.createElement('1')`
  put('script', '/', `<iframe></iframe><script>const throwers = [${throwers}]</script>`, {
    ...QUIET,
    capture_exceptions: true,
  })
  await page.goto(site.url)
  await ready(page)
  await page.waitForFunction(() => typeof window.onerror === 'function')
  await page.evaluate(() => {
    const at = (line: number) => ({ filename: `${location.origin}/a.js`, lineno: line, colno: 34 })
    const message = 'Uncaught ReferenceError: total is not defined'
    window.onerror!(message, at(12).filename, 12, 34)
    dispatchEvent(new ErrorEvent('error', { message: 'it broke', ...at(13) }))
  })
  // The browser calls the handler too, after its event.
  await page.evaluate('throwers.forEach((each) => setTimeout(each))')
  const events = exceptions(await stored((all) => exceptions(all).length >= 6))
  const rows = events.map((event) => {
    const [{ type, value, mechanism, stacktrace }] = listOf(event) as [Exception]
    const { lineno, colno } = stacktrace!.frames.at(-1) as { lineno?: number; colno?: number }
    return [type, value, mechanism, lineno, colno]
  })
  const [real, synthetic] = [false, true].map((isSynthetic) =>
    expect.objectContaining({ handled: false, synthetic: isSynthetic }),
  )
  const line: unknown = expect.any(Number)
  expect(rows).toEqual([
    ['ReferenceError', 'total is not defined', synthetic, 12, 34],
    ['Error', 'it broke', synthetic, 13, 34],
    ['ReferenceError', 'missing is not defined', real, line, line],
    ['Error', 'null', synthetic, line, line],
    ['RangeError', 'far', real, line, line],
    ['DOMException', expect.stringMatching(/^InvalidCharacterError: Failed to execute/), real, line, line],
  ])
  await page.evaluate(() => window.analytics.set_config({ capture_exceptions: false }))
  expect(await page.evaluate(() => window.onerror)).toBeNull()
})

test('options, consent and the project start and stop exception capture, floods are limited, and the console is restored', async ({
  page,
  site,
  put,
  stored,
  service,
}) => {
  put('script', '/', '', { ...QUIET, remote_config_refresh_interval_ms: 0 })
  await page.goto(site.url)
  await ready(page)
  const raise = (message: string) =>
    page.evaluate(
      (text) =>
        new Promise<void>((done) => {
          setTimeout(() => {
            setTimeout(done)
            throw new Error(text)
          })
        }),
      message,
    )
  const set = (config: object) => page.evaluate((changes) => window.analytics.set_config(changes), config)
  const isConsoleNative = () => page.evaluate(() => /native code/.test(Function.prototype.toString.call(console.error)))

  await raise('before')
  await set({ capture_exceptions: { capture_console_errors: true, capture_unhandled_rejections: false } })
  await waitUntil(page, fetchedExtension)
  await expect.poll(isConsoleNative).toBe(false)
  await raise('captured')
  await page.evaluate(() => {
    console.error('logged', new Error('in the log'))
    void Promise.reject(new Error('rejected'))
  })
  await set({ capture_exceptions: { capture_unhandled_errors: false } })
  expect(await isConsoleNative()).toBe(true)
  await raise('not wanted')
  await set({ capture_exceptions: true })
  // Opting out discards events that wait.
  await stored((events) => exceptions(events).length >= 2)
  await page.evaluate(() => window.analytics.opt_out_capturing())
  await raise('without consent')
  await page.evaluate(() => window.analytics.opt_in_capturing({ captureEventName: false }))
  await page.evaluate(
    () =>
      new Promise<void>((done) => {
        for (let index = 0; index < 50; index += 1)
          setTimeout(() => {
            throw new SyntaxError(`flood ${index}`)
          })
        setTimeout(done, 10)
      }),
  )
  await page.evaluate(() => window.analytics.capture('done'))
  const first = await stored((events) => events.some(({ event }) => event === 'done'))
  expect(valuesOf(first)).toEqual([
    'captured',
    'in the log',
    ...Array.from({ length: 10 }, (_, index) => `flood ${index}`),
  ])

  const rules = [{ type: 'OR', values: [{ key: '$exception_values', operator: 'icontains', value: 'known' }] }]
  const settings = { autocaptureExceptions: true, errorTracking: { suppressionRules: rules } }
  expect((await service.api('PATCH', '/remote_config', settings)).status).toBe(200)
  try {
    put('script', '/remote', '', QUIET)
    await page.goto(`${site.url}/remote`)
    await waitUntil(page, fetchedExtension)
    await raise('A known problem')
    await raise('A new problem')
    const events = await stored((all) => valuesOf(all).includes('A new problem'))
    expect(valuesOf(events)).not.toContain('A known problem')
  } finally {
    await service.api('PATCH', '/remote_config', { autocaptureExceptions: false, errorTracking: {} })
  }
})

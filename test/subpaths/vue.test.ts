import { analytics, type CapturedEvent } from 'trailmark'
import {
  createTrailmark,
  type RouterLike,
  useConsent,
  useFeatureFlagPayload,
  useSessionId,
  type VueSettings,
} from 'trailmark/vue'
import { type App, createApp, createSSRApp, defineComponent, h, nextTick } from 'vue'
import { listenToConsole } from '../support/startAnalytics'
import { BOOTSTRAP, Checkout, SERVER_HTML } from '../support/vueCheckout'

let answer: Record<string, unknown> = {}
let events: CapturedEvent[] = []
const apps: App[] = []

const settings = (more: Partial<VueSettings> = {}): VueSettings => ({
  client: analytics,
  token: 'token',
  ...more,
  options: {
    api_host: 'https://events.example.com',
    opt_out_useragent_filter: true,
    autocapture: false,
    before_send: (event) => {
      events.push(event)
      return event
    },
    ...more.options,
  },
})
const mount = async (component: object, more?: Partial<VueSettings>) => {
  const app = createApp(component)
  const container = document.body.appendChild(document.createElement('div'))
  apps.push(app)
  app.use(createTrailmark(settings(more)))
  app.mount(container)
  await nextTick()
  return app
}
const named = (name: string) => events.filter(({ event }) => event === name)
const html = () => document.body.innerHTML

beforeEach(() => {
  jest.useFakeTimers()
  history.replaceState(null, '', '/')
  document.body.innerHTML = '<div id="app"></div>'
  events = []
  answer = {}
  globalThis.fetch = jest.fn(async () => ({
    status: 200,
    text: async () => JSON.stringify({ featureFlags: answer, supportedCompression: [] }),
    headers: { get: () => null },
  })) as unknown as typeof fetch
})
afterEach(async () => {
  apps.splice(0).forEach((app) => app.unmount())
  await analytics.shutdown()
  localStorage.clear()
  jest.restoreAllMocks()
})

test('the first render of the browser is the HTML of the server, and flags that are newer come after it', async () => {
  const warnings = [listenToConsole('warn'), listenToConsole('error')]
  // test/subpaths/server.test.ts renders it.
  document.querySelector('#app')!.innerHTML = SERVER_HTML
  const node = document.querySelector('p')
  answer = { checkout: 'long', old: false, unknown: false }
  const app = createSSRApp(Checkout)
  apps.push(app)
  app.use(createTrailmark(settings({ options: { bootstrap: BOOTSTRAP } })))
  // The service answers before the page is hydrated.
  await jest.advanceTimersByTimeAsync(100)
  expect(analytics.getFeatureFlag('checkout', { send_event: false })).toBe('long')
  app.mount('#app')
  expect(document.querySelector('p')).toBe(node)
  expect(html()).toContain('["short",false,true,{"steps":2}]')
  await nextTick()
  expect(html()).toContain('["long",false,false,null]')
  expect(warnings.flat()).toEqual([])
})

test('a flag is reported once per value, and a payload never', async () => {
  await mount(Checkout, { options: { bootstrap: BOOTSTRAP } })
  await mount({ render: () => h(Checkout) })
  expect(named('$feature_flag_called').map(({ properties }) => properties.$feature_flag)).toEqual([
    'checkout',
    'old',
    'unknown',
  ])
})

test('equal flags of the service change nothing', async () => {
  const seen: unknown[] = []
  const Payload = defineComponent(() => {
    const payload = useFeatureFlagPayload('checkout')
    return () => {
      seen.push(payload.value)
      return h('p')
    }
  })
  await mount(Payload, { options: { bootstrap: BOOTSTRAP } })
  analytics.updateFlags(BOOTSTRAP.featureFlags, BOOTSTRAP.featureFlagPayloads)
  await nextTick()
  expect(new Set(seen).size).toBe(1)
})

test('a second start is the first one, and changed options are named', async () => {
  const warnings = listenToConsole('warn')
  const init = jest.spyOn(analytics, 'init')
  await mount({ render: () => h('p') })
  await mount({ render: () => h('p') })
  expect(init).toHaveBeenCalledTimes(1)
  expect(warnings).toEqual([])
  await mount({ render: () => h('p') }, { options: { rageclick: false } })
  expect(init).toHaveBeenCalledTimes(1)
  expect(warnings.join()).toContain('options have changed after the start')
})

test('errors of components are captured, and still reach the console', async () => {
  const errors = listenToConsole('error')
  jest.spyOn(console, 'warn').mockImplementation()
  const capture = jest.spyOn(analytics, 'captureException')
  const error = new Error('broken component')
  await mount({
    setup() {
      throw error
    },
    render: () => h('p'),
  })
  expect(capture).toHaveBeenCalledWith(error, { vue_info: expect.any(String) as string })
  expect(errors.join()).toContain('broken component')
})

test('a composable without the plugin says what to add', () => {
  jest.spyOn(console, 'warn').mockImplementation()
  const app = createApp(Checkout)
  expect(() => app.mount('#app')).toThrow('app.use(createTrailmark(')
  expect(() => createTrailmark({ token: 't' } as VueSettings).install!(app)).toThrow(
    "import { analytics } from 'trailmark'",
  )
})

test('session and consent follow the visitor', async () => {
  let consent!: ReturnType<typeof useConsent>
  await mount(
    defineComponent(() => {
      const session = useSessionId()
      consent = useConsent()
      return () => h('p', `${session.value} ${consent.status.value}`)
    }),
  )
  analytics.capture('x')
  await nextTick()
  expect(html()).toContain(`${analytics.get_session_id()} pending`)
  consent.optOut()
  await nextTick()
  expect(html()).toContain('denied')
  consent.optIn()
  await nextTick()
  expect(html()).toContain('granted')
})

type Guard = Parameters<RouterLike['afterEach']>[0]

/** A router like vue-router's: it changes the URL, and calls the guard. */
const createRouter = () => {
  let guard!: Guard
  return {
    afterEach: (run: Guard) => void (guard = run),
    go: (path: string, route = path, failure?: unknown) => {
      if (!failure) history.pushState(null, '', path)
      const to = { path, matched: [{ path: '/' }, { path: route }] }
      guard(to, to, failure)
    },
  }
}
const pageviews = () =>
  named('$pageview').map(({ properties: { $pathname, $route, title } }) => [$pathname, $route, title])

test('there is one pageview for each navigation, when the title is there, and none for an aborted one', async () => {
  const router = createRouter()
  await mount({ render: () => h('p') }, { router, options: { defaults: '2026-01-30' } })
  await jest.advanceTimersByTimeAsync(100)
  expect(pageviews()).toEqual([])
  router.go('/')
  document.title = 'Home'
  await jest.advanceTimersByTimeAsync(100)
  expect(pageviews()).toEqual([['/', '/', 'Home']])
  router.go('/items/1', '/items/:id')
  document.title = 'Item'
  router.go('/items/2', '/items/:id', new Error('aborted'))
  await jest.advanceTimersByTimeAsync(100)
  router.go('/items/1', '/items/:id')
  await jest.advanceTimersByTimeAsync(100)
  expect(pageviews().slice(1)).toEqual([['/items/1', '/items/:id', 'Item']])
  router.go('/last')
  dispatchEvent(new Event('pagehide'))
  expect(pageviews().slice(2)).toEqual([['/last', '/last', 'Item']])
})

test('a page that is left before its first navigation has ended has its pageview', async () => {
  const router = createRouter()
  await mount({ render: () => h('p') }, { router })
  dispatchEvent(new Event('pagehide'))
  dispatchEvent(new Event('pagehide'))
  expect(pageviews()).toHaveLength(1)
})

test('with capture_pageview: false a router captures none', async () => {
  const router = createRouter()
  await mount({ render: () => h('p') }, { router, options: { capture_pageview: false } })
  router.go('/')
  router.go('/about')
  dispatchEvent(new Event('pagehide'))
  await jest.advanceTimersByTimeAsync(100)
  expect(pageviews()).toEqual([])
})

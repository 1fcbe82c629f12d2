import { act, createElement as h, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { type Analytics, analytics, type CapturedEvent } from 'trailmark'
import type { TrailmarkProviderProps } from 'trailmark/react'
import type { Navigation } from '../../../src/subpaths/shared/routes'
import { createRouterProvider } from '../../../src/subpaths/shared/routerProvider'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const OPTIONS = { api_host: 'https://events.example.com', advanced_disable_flags: true, persistence: 'memory' } as const

let go: (navigation: Navigation) => void
const Provider = createRouterProvider(() => {
  const [navigation, set] = useState<Navigation>({ path: '/', route: '/' })
  go = (next) => {
    history.pushState(null, '', next.path)
    act(() => set(next))
  }
  return navigation
})
/** Renders the provider and returns the pageviews of an instance, as paths, titles and routes. */
const watch = (name: string, props: TrailmarkProviderProps) => {
  const events: CapturedEvent[] = []
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  act(() => root.render(h(StrictMode, null, h(Provider, props))))
  const client = (analytics as unknown as Record<string, Analytics>)[name]!
  client.on('eventCaptured', (event) => event.event === '$pageview' && events.push(event))
  return () => events.map(({ properties: { $pathname, title, $route } }) => [$pathname, title, $route])
}
beforeEach(() => {
  jest.useFakeTimers()
  document.title = 'Home'
})

test.each(['history_change', true] as const)(
  'counts each page once, with its title and route (%s)',
  async (capture_pageview) => {
    const name = `counted_${capture_pageview}`
    const views = watch(name, { token: 't', name, options: { ...OPTIONS, capture_pageview } })
    jest.advanceTimersByTime(10)
    go({ path: '/a/1', route: '/a/:id' })
    document.title = 'A'
    await act(() => jest.advanceTimersByTimeAsync(10))
    expect(views()).toEqual([
      ['/', 'Home', '/'],
      ['/a/1', 'A', '/a/:id'],
    ])
    // The same title: counted after a while.
    go({ path: '/a/2', route: '/a/:id' })
    await act(() => jest.advanceTimersByTimeAsync(200))
    expect(views().at(-1)).toEqual(['/a/2', 'A', '/a/:id'])
    // Left before the title came.
    go({ path: '/b', route: '/b' })
    dispatchEvent(new Event('pagehide'))
    expect(views().slice(3)).toEqual([['/b', 'A', '/b']])
  },
)

test('counts nothing if the site has turned pageviews off', async () => {
  const views = watch('off', { token: 't', name: 'off', options: { ...OPTIONS, capture_pageview: false } })
  go({ path: '/a' })
  await act(() => jest.advanceTimersByTimeAsync(500))
  expect(views()).toEqual([])
})

test('counts the pages of a client that the site has started, besides its first', async () => {
  const client = analytics.init('t', { ...OPTIONS, capture_pageview: 'history_change' }, 'own')
  await jest.advanceTimersByTimeAsync(10)
  const views = watch('own', { client })
  await act(() => jest.advanceTimersByTimeAsync(10))
  go({ path: '/a', route: '/a' })
  document.title = 'A'
  await act(() => jest.advanceTimersByTimeAsync(200))
  expect(views()).toEqual([['/a', 'A', '/a']])
})

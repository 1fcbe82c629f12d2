import { act, createElement as h, type ReactNode, StrictMode, useState } from 'react'
import { createRoot, hydrateRoot, type Root, type RootOptions } from 'react-dom/client'
import { renderToString } from 'react-dom/server.node'
import { type Analytics, analytics, type CapturedEvent } from 'trailmark'
import {
  CaptureOnView,
  type Consent,
  setupReactErrorHandler,
  TrailmarkErrorBoundary,
  TrailmarkFeature,
  TrailmarkProvider,
  type TrailmarkProviderProps,
  useActiveFeatureFlags,
  useCapture,
  useConsent,
  useFeatureFlagEnabled,
  useFeatureFlagPayload,
  useFeatureFlagResult,
  useFeatureFlagVariantKey,
  useSession,
  useTrailmark,
} from 'trailmark/react'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const OPTIONS = {
  api_host: 'https://events.example.com',
  advanced_disable_flags: true,
  opt_out_useragent_filter: true,
  capture_pageview: false,
}
const SHORT = { featureFlags: { checkout: 'short', off: false }, featureFlagPayloads: { checkout: '{"steps":2}' } }

let problems: jest.SpyInstance
let warnings: jest.SpyInstance
let names = 0
/** Each test has an instance of its own. */
let props: TrailmarkProviderProps & { name: string }
let root: Root | undefined
let page: HTMLElement

beforeEach(() => {
  problems = jest.spyOn(console, 'error').mockImplementation(() => {})
  warnings = jest.spyOn(console, 'warn').mockImplementation(() => {})
  props = { token: 'token', name: `n${(names += 1)}`, options: { ...OPTIONS, persistence_name: `n${names}` } }
  page = document.body.appendChild(document.createElement('div'))
})
afterEach(async () => {
  act(() => root?.unmount())
  page.remove()
  await clientOf()?.shutdown()
  jest.restoreAllMocks()
})

const clientOf = () => (analytics as unknown as Record<string, Analytics>)[props.name]!
const app = (child: ReactNode, more: Partial<TrailmarkProviderProps> = {}) =>
  h(StrictMode, null, h(TrailmarkProvider, { ...props, ...more }, child))
const render = (tree: ReactNode, options?: RootOptions) =>
  act(() => {
    root = createRoot(page, options)
    root.render(tree)
  })
const hydrate = (tree: ReactNode) => {
  page.innerHTML = renderToString(tree)
  act(() => {
    root = hydrateRoot(page, tree)
  })
}
/** Calls a hook in each render and returns its results. */
const results = <T>(use: () => T) => {
  const all: T[] = []
  const User = () => {
    all.push(use())
    return null
  }
  return { all, User }
}
const eventsOf = (client: Analytics, name: string) => {
  const events: CapturedEvent[] = []
  client.on('eventCaptured', (event) => event.event === name && events.push(event))
  return events
}

const Checkout = () => h('b', null, useFeatureFlagVariantKey('checkout'))

test('a bootstrapped flag is in the markup, hydrates without a message in StrictMode, and changes later', () => {
  const tree = app(h(Checkout), { bootstrap: SHORT })
  hydrate(tree)
  expect(page.innerHTML).toBe('<b>short</b>')
  act(() => clientOf().updateFlags({ checkout: 'long' }))
  expect(page.innerHTML).toBe('<b>long</b>')
  expect(problems).not.toHaveBeenCalled()
  expect(warnings).not.toHaveBeenCalled()
})

test('hydration uses the flags of the server, even if newer ones have arrived before', () => {
  const seen: unknown[] = []
  const User = () => {
    const value = useFeatureFlagVariantKey('checkout')
    seen.push(value)
    return h('b', null, value)
  }
  const tree = app(h(User), { bootstrap: SHORT })
  page.innerHTML = renderToString(tree)
  clientOf().updateFlags({ checkout: 'long' })
  seen.length = 0
  act(() => {
    root = hydrateRoot(page, tree)
  })
  expect([...new Set(seen)]).toEqual(['short', 'long'])
  expect(page.textContent).toBe('long')
  expect(problems).not.toHaveBeenCalled()
})

test('the provider starts once, and unmounting stops nothing', () => {
  const init = jest.spyOn(analytics, 'init')
  render(app(h(Checkout)))
  act(() => root!.unmount())
  render(app(h(Checkout)))
  expect(init).toHaveBeenCalledTimes(1)
  expect(clientOf().__loaded).toBe(true)
  expect(warnings).not.toHaveBeenCalled()
})

test('children can capture in their first effect and get the same function each time', () => {
  const { all, User } = results(useCapture)
  render(app(h(User)))
  act(() => root!.render(app(h(User))))
  expect(new Set(all).size).toBe(1)
  expect(all[0]!('purchase', { amount: 42 })).toMatchObject({ event: 'purchase' })
})

test('a payload is the same object over 1,000 renders, until it changes', () => {
  let again = () => {}
  const { all, User } = results(() => {
    const [, set] = useState(0)
    again = () => set((count) => count + 1)
    return [useFeatureFlagPayload('checkout'), useFeatureFlagResult('checkout'), useActiveFeatureFlags()]
  })
  hydrate(app(h(User), { bootstrap: SHORT }))
  const before = all.at(-1)!
  for (let count = 0; count < 1000; count += 1) act(again)
  expect(all.length).toBeGreaterThan(1000)
  const after = all.at(-1)!
  expect(after[0]).toEqual({ steps: 2 })
  expect(after[1]).toEqual({ key: 'checkout', enabled: true, variant: 'short', payload: { steps: 2 } })
  expect(after[2]).toEqual(['checkout'])
  for (const index of [0, 1, 2]) expect(after[index]).toBe(before[index])
  act(() => clientOf().updateFlags({ checkout: 'short' }, { checkout: '{"steps":3}' }))
  expect(all.at(-1)![0]).toEqual({ steps: 3 })
})

test('a flag that was shown is reported once per value, and only flags without a payload hook', () => {
  const { User } = results(() => [useFeatureFlagEnabled('checkout'), useFeatureFlagPayload('off')])
  render(app(null, { bootstrap: SHORT }))
  const called = eventsOf(clientOf(), '$feature_flag_called')
  act(() => root!.render(app([h(User, { key: 1 }), h(Checkout, { key: 2 })], { bootstrap: SHORT })))
  act(() => clientOf().updateFlags({ checkout: 'long' }))
  expect(called.map(({ properties }) => [properties.$feature_flag, properties.$feature_flag_response])).toEqual([
    ['checkout', 'short'],
    ['checkout', 'long'],
  ])
})

test('a flag without a value is the fallback', () => {
  const { all, User } = results(() => [useFeatureFlagEnabled('none', true), useFeatureFlagVariantKey('none', 'a')])
  render(app(h(User)))
  expect(all.at(-1)).toEqual([true, 'a'])
})

test('session and consent follow the SDK', () => {
  const { all, User } = results(() => [useSession(), useConsent()] as const)
  render(app(h(User)))
  const [session, consent] = all.at(-1)!
  expect(session).toEqual({ sessionId: clientOf().get_session_id(), windowId: expect.any(String) })
  expect(consent.status).toBe('pending')
  act(() => consent.grant())
  expect(all.at(-1)![1].status).toBe('granted')
  act(() => clientOf().opt_out_capturing())
  expect(all.at(-1)![1].status).toBe<Consent['status']>('denied')
})

const Broken = () => {
  throw new Error('Broken on purpose')
}

test('an error boundary shows its fallback and captures the error once, even with the handler of the root', async () => {
  render(app(null))
  const captured = jest.spyOn(clientOf(), 'captureException')
  act(() => root!.unmount())
  const seen: unknown[] = []
  render(
    app(
      h(
        TrailmarkErrorBoundary,
        { fallback: ({ error }) => h('p', null, String(error)), additionalProperties: { cart: 'c1' } },
        h(Broken),
      ),
    ),
    { onCaughtError: setupReactErrorHandler(clientOf(), (error) => seen.push(error)) },
  )
  await Promise.resolve()
  expect(page.textContent).toBe('Error: Broken on purpose')
  expect(captured).toHaveBeenCalledTimes(1)
  expect(captured.mock.calls[0]![1]).toMatchObject({
    cart: 'c1',
    $exception_component_stack: expect.stringContaining('Broken'),
  })
  expect(seen).toHaveLength(1)
})

describe('what is seen', () => {
  let show: () => void
  beforeEach(() => {
    const callbacks: (() => void)[] = []
    show = () => callbacks.forEach((each) => each())
    Object.assign(globalThis, {
      IntersectionObserver: class {
        constructor(callback: (entries: unknown[]) => void) {
          callbacks.push(() => callback([{ isIntersecting: true }]))
        }
        observe() {}
        disconnect() {}
      },
    })
  })

  test('is captured once', () => {
    render(app(h(CaptureOnView, { event: 'hero seen', properties: { place: 'top' }, className: 'hero' }, 'Hero')))
    const seen = eventsOf(clientOf(), 'hero seen')
    expect(page.innerHTML).toBe('<div class="hero">Hero</div>')
    expect(seen).toHaveLength(0)
    show()
    show()
    expect(seen.map(({ properties }) => properties.place)).toEqual(['top'])
  })

  test('of a feature is captured, with the first click', () => {
    const feature = h(TrailmarkFeature, {
      flag: 'checkout',
      match: 'short',
      fallback: 'Five steps',
      children: (payload) => h('i', null, JSON.stringify(payload)),
    })
    render(app(feature, { bootstrap: SHORT }))
    const [views, clicks] = [eventsOf(clientOf(), '$feature_view'), eventsOf(clientOf(), '$feature_interaction')]
    expect(page.textContent).toBe('{"steps":2}')
    show()
    const child = page.querySelector('i')!
    child.click()
    child.click()
    expect(views.map(({ properties }) => properties.feature_flag)).toEqual(['checkout'])
    expect(clicks.map(({ properties, $set }) => [properties.feature_flag_variant, $set])).toEqual([
      ['short', { '$feature_interaction/checkout': 'short' }],
    ])
    act(() => clientOf().updateFlags({ checkout: 'long' }))
    expect(page.innerHTML).toBe('Five steps')
  })
})

describe('says what is wrong and what to do', () => {
  const told = (text: string) => expect(problems.mock.calls.flat().join()).toContain(text)

  test('without a provider', () => {
    render(h(Checkout))
    told('useFeatureFlagVariantKey() has no <TrailmarkProvider> above it')
    told('Put it around the app')
  })
  test('with two tokens', () => {
    render(app(null))
    act(() => root!.unmount())
    render(app(null, { token: 'other' }))
    told('<TrailmarkProvider> got the token other, but token already runs and is used. Give one provider a name')
  })
  test('without a token', () => {
    render(h(TrailmarkProvider, { options: OPTIONS }))
    told('<TrailmarkProvider> needs a token or a client')
  })
  test('with options that change, such as by hot reload', () => {
    render(app(null))
    expect(problems).not.toHaveBeenCalled()
    act(() => root!.render(app(null, { options: { ...props.options, autocapture: false } })))
    told('got other options than those it has started with, which stay')
  })
})

test('a client that the site has started is used as it is', () => {
  const client = analytics.init('own', { ...OPTIONS, persistence_name: props.name }, props.name)
  const { all, User } = results(useTrailmark)
  render(h(TrailmarkProvider, { client }, h(User)))
  expect(all[0]).toBe(client)
})

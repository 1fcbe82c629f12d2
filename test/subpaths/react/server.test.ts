/** @jest-environment node */
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createElement as h, Suspense, use } from 'react'
import { renderToPipeableStream } from 'react-dom/server'
import { analytics } from 'trailmark'
import { TrailmarkProvider, useCapture, useConsent, useFeatureFlagVariantKey, useSession } from 'trailmark/react'
import { cookiesOf, readBootstrap } from '../../../src/subpaths/shared/visitor'
import { routePattern } from '../../../src/subpaths/shared/routePattern'

const html = (tree: Parameters<typeof renderToPipeableStream>[0]): Promise<string> =>
  new Promise((done, fail) => {
    let text = ''
    const stream = new Writable({
      write: (chunk, _, next) => {
        text += chunk
        next()
      },
      final: () => done(text),
    })
    const { pipe } = renderToPipeableStream(tree, { onAllReady: () => pipe(stream), onError: fail })
  })

const Flag = ({ wait }: { wait: Promise<unknown> }) => {
  use(wait)
  return h('b', null, useFeatureFlagVariantKey('checkout'))
}
const pageFor = (variant: string) =>
  h(
    TrailmarkProvider,
    { token: 'token', bootstrap: { featureFlags: { checkout: variant } } },
    h(Suspense, null, h(Flag, { wait: delay(50) })),
  )

test('concurrent visitors never see the flags of each other', async () => {
  const variants = Array.from({ length: 20 }, (_, index) => `v${index}`)
  const pages = await Promise.all(variants.map((variant) => html(pageFor(variant))))
  pages.forEach((page, index) => expect(page).toContain(`<b>v${index}</b>`))
  expect(analytics.__loaded).toBe(false)
})

test('a server renders no session and no decision, and says so if an event is captured', async () => {
  const told = jest.spyOn(console, 'error').mockImplementation(() => {})
  const User = () => {
    useCapture()('rendered')
    return JSON.stringify([useSession() ?? null, useConsent().status])
  }
  expect(await html(h(TrailmarkProvider, { token: 'token' }, h(User)))).toBe('[null,&quot;pending&quot;]')
  expect(told.mock.calls.flat().join()).toContain('The event rendered was captured while a server rendered')
})

describe('readBootstrap', () => {
  const settings = { token: 't', host: 'https://events.example.com/' }
  const cookie = `a=1; ph_t_posthog=${encodeURIComponent('{"distinct_id":"ada"}')}`
  const answering = (body: unknown) => {
    const requests: { url: string; body: string }[] = []
    const fetch = (url: string, { body }: { body: string }) => {
      requests.push({ url, body })
      return Promise.resolve({ json: () => Promise.resolve(body2) })
    }
    const body2 = body
    return { requests, fetch }
  }

  test('returns the flags of the visitor in the cookie', async () => {
    const flags = {
      checkout: { enabled: true, variant: 'short', metadata: { payload: '{"steps":2}' } },
      off: { enabled: false, variant: null, metadata: { payload: null } },
    }
    const { requests, fetch } = answering({ flags })
    expect(await readBootstrap({ ...settings, fetch }, cookiesOf(cookie))).toEqual({
      distinctID: 'ada',
      featureFlags: { checkout: 'short', off: false },
      featureFlagPayloads: { checkout: '{"steps":2}' },
    })
    expect(requests).toEqual([
      { url: 'https://events.example.com/flags/?v=2', body: '{"token":"t","distinct_id":"ada"}' },
    ])
  })

  test('gives a new visitor an id, and no flags if the service fails', async () => {
    const fetch = () => Promise.reject(new Error('down'))
    expect(await readBootstrap({ ...settings, fetch }, cookiesOf())).toEqual({
      distinctID: expect.stringMatching(/^[\da-f-]{36}$/),
    })
    const malformed = answering(null)
    expect(
      Object.keys(await readBootstrap({ ...settings, fetch: malformed.fetch }, cookiesOf('ph_t_posthog=%zz'))),
    ).toEqual(['distinctID'])
  })

  test('asks nothing for a visitor who has denied consent', async () => {
    const { requests, fetch } = answering({})
    expect(await readBootstrap({ ...settings, fetch }, cookiesOf('__ph_opt_in_out_t=0'))).toEqual({})
    expect(requests).toEqual([])
  })
})

test.each([
  ['/', {}, '/'],
  ['/blog/hello', { slug: 'hello' }, '/blog/[slug]'],
  ['/blog/blog', { slug: 'blog' }, '/blog/[slug]'],
  ['/docs/a/b', { path: ['a', 'b'] }, '/docs/[...path]'],
  ['/docs/a/b', { path: 'a/b' }, '/docs/[...path]'],
  ['/shop/caf%C3%A9', { name: 'café' }, '/shop/[name]'],
  ['/shop/caf%C3%A9', { name: 'caf%C3%A9' }, '/shop/[name]'],
  ['/docs', { path: undefined }, '/docs'],
])('the pattern of %s with %j is %s', (path, params, pattern) => {
  expect(routePattern(path, params, (name, isMany) => (isMany ? `[...${name}]` : `[${name}]`))).toBe(pattern)
})

import type { Options } from '../../../src/client/publicApi'
import type { ExtensionName } from '../../../src/extensions/contract'
import type { ToolbarParts } from '../../../src/host'
import { startAnalytics } from '../../support/startAnalytics'

// The loader of the toolbar. e2e/scenarios/toolbar.spec.ts has the toolbar itself.

const CODE = 'tmb_0123456789abcdef0123456789abcdef'
const LINK = `/shop?sort=price#__trailmark_toolbar=${CODE}`

const start = (config: Options = {}, token = 'token') => {
  const loaded: ExtensionName[] = []
  const hosts: ToolbarParts[] = []
  let stopped = 0
  const load = async (name: ExtensionName) => {
    loaded.push(name)
    if (name !== 'toolbar') throw new Error(`${name} is not here`)
    return {
      start: (host: unknown) => {
        hosts.push(host as ToolbarParts)
        return () => void (stopped += 1)
      },
    }
  }
  return { ...startAnalytics(config, token, undefined, load), loaded, hosts, stops: () => stopped }
}

afterEach(() => {
  history.replaceState(null, '', '/')
  sessionStorage.clear()
})

test('the toolbar code is removed from the URL before any event, without wrappers of history seeing it', async () => {
  history.replaceState({ page: 1 }, '', LINK)
  const wrapper = jest.spyOn(history, 'replaceState')
  const { hosts, sent, settle } = start({ capture_pageview: true })
  expect([location.href, history.state]).toEqual(['http://localhost/shop?sort=price', { page: 1 }])
  expect(wrapper).not.toHaveBeenCalled()
  wrapper.mockRestore()
  // A router restores the URL that it started with.
  history.replaceState(null, '', LINK)
  await settle(500)
  expect(location.hash).toBe('')
  await settle()
  expect(hosts.map(({ code }) => code)).toEqual([CODE])
  expect(JSON.stringify(sent)).not.toContain(CODE)
})

test('the toolbar code is removed from a URL that routes by its hash', () => {
  history.replaceState(null, '', `/#/basket#__trailmark_toolbar=${CODE}`)
  start()
  expect(location.hash).toBe('#/basket')
})

test('the toolbar code is redacted in URLs that the page restores', async () => {
  const { analytics, sent, settle } = start()
  history.replaceState(null, '', LINK)
  analytics.capture('restored')
  await settle(5000)
  expect(sent[0]!.properties.$current_url).toBe('http://localhost/shop?sort=price#__trailmark_toolbar=redacted')
})

test.each<[string, Options, stored: string | null, isLoaded: boolean]>([
  ['does not load without a code and a stored session', {}, null, false],
  ['does not load with a session of another project', {}, 'other', false],
  ['loads with a session of this project', {}, 'token', true],
  ['does not load with a session and advanced_disable_flags', { advanced_disable_flags: true }, 'token', false],
  ['does not load with a session but without consent', { opt_out_capturing_by_default: true }, 'token', false],
])('the toolbar %s', async (_, config, stored, isLoaded) => {
  if (stored) sessionStorage.setItem('__trailmark_toolbar', stored)
  const { loaded, settle } = start(config)
  await settle()
  expect(loaded.includes('toolbar')).toBe(isLoaded)
})

test('loadToolbar returns whether it loads, and loads again after the toolbar has ended', async () => {
  const { analytics, hosts, settle, stops } = start()
  expect(analytics.loadToolbar({ token: 'other' })).toBe(false)
  expect(analytics.loadToolbar({ token: 'token', code: CODE })).toBe(true)
  await settle()
  expect(hosts.map(({ code }) => code)).toEqual([CODE])
  hosts[0]!.end()
  expect(stops()).toBe(1)
  expect(analytics.loadToolbar()).toBe(true)
  await settle()
  expect(hosts.map(({ code }) => code)).toEqual([CODE, undefined])
  analytics.opt_out_capturing()
  expect(stops()).toBe(2)
  expect(analytics.loadToolbar()).toBe(false)
  expect(start({ advanced_disable_flags: true }, 'second').analytics.loadToolbar()).toBe(false)
})

/**
 * @jest-environment jsdom
 * @jest-environment-options {"url": "https://shop.example.co.uk/"}
 */
import { startAnalytics } from '../support/startAnalytics'

// The specification, "Main options": cross_subdomain_cookie and secure_cookie, on a host with several domain levels.
const ENTRY = 'ph_token_posthog'
// Removing a cookie writes an empty value.
const isWrite = (text: string) => /^ph_token_posthog=[^;]/.test(text)
let set: jest.SpyInstance<void, [string]>
beforeEach(() => {
  for (const domain of ['', ';domain=.example.co.uk']) document.cookie = `${ENTRY}=;path=/;max-age=0${domain}`
  set = jest.spyOn(Document.prototype, 'cookie', 'set')
})

/** The domains the visitor cookie was written for. '' for the host only. */
const domains = () => [
  ...new Set(
    set.mock.calls
      .map(([text]) => text)
      .filter(isWrite)
      .map((text) => /domain=([^;]*)/.exec(text)?.[1] ?? ''),
  ),
]
const isThere = () => document.cookie.includes(`${ENTRY}=`)

describe('cross_subdomain_cookie', () => {
  test.each([[true], [undefined]])(
    '%p: sets the cookie on the registrable domain, not on a public suffix',
    async (cross_subdomain_cookie) => {
      const { settle } = startAnalytics({ cross_subdomain_cookie })
      await settle()
      expect(domains()).toEqual(['.example.co.uk'])
      expect(isThere()).toBe(true)
    },
  )

  test('sets the cookie only on the current subdomain when false', async () => {
    const { settle } = startAnalytics({ cross_subdomain_cookie: false })
    await settle()
    expect(domains()).toEqual([''])
    expect(isThere()).toBe(true)
  })

  test('removes the cookie used to detect the widest domain', async () => {
    const { settle } = startAnalytics()
    await settle()
    expect(document.cookie.split('; ').map((pair) => pair.split('=')[0])).toEqual([ENTRY])
  })

  test('moves the cookie and keeps the visitor when changed by set_config', async () => {
    const { analytics, settle } = startAnalytics({ persistence: 'cookie' })
    const id = analytics.get_distinct_id()
    await settle()
    set.mockClear()
    analytics.set_config({ cross_subdomain_cookie: false })
    analytics.register({ plan: 'gold' })
    await settle()
    expect(domains()).toEqual([''])
    // One cookie, not one per domain.
    expect(document.cookie.split('; ').filter((pair) => pair.startsWith(`${ENTRY}=`))).toHaveLength(1)
    expect(decodeURIComponent(document.cookie)).toContain(id)
  })
})

describe('secure_cookie', () => {
  test.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])('%p: marks the cookie as secure on an HTTPS page: %p', async (secure_cookie, expected) => {
    const { settle } = startAnalytics({ secure_cookie })
    await settle()
    const written = set.mock.calls.map(([text]) => text).filter(isWrite)
    expect(written.length).toBeGreaterThan(0)
    for (const text of written) expect(/;\s*secure/i.test(text)).toBe(expected)
    expect(isThere()).toBe(true)
  })
})

import type { Options } from '../../src/client/publicApi'
import { read } from '../support/markdown'
import { startAnalytics } from '../support/startAnalytics'

const PAGE = 'docs/guides/privacy-cookbook.md'

/** The options of each recipe by its heading. */
const RECIPES = new Map(
  [...read(PAGE).matchAll(/^## (.+)\n\n```js\n(analytics\.init\([\s\S]+?)\n```/gm)].map(([, title, code]) => {
    let options: Options = {}
    const analytics = { init: (_token: string, given: Options) => void (options = given) }
    // oxlint-disable-next-line typescript/no-implied-eval -- the code of our own page
    new Function('analytics', code!)(analytics)
    return [title!, options]
  }),
)

/** Starts a page with the options of a recipe, and returns what an event of it has. */
const startRecipe = async (title: string, path = '/') => {
  history.replaceState(null, '', path)
  const complaint = jest.spyOn(console, 'error').mockImplementation(() => {})
  const started = startAnalytics({ autocapture: true, ...RECIPES.get(title) })
  const event = started.analytics.capture('probe', { email: 'ada@example.com', plan: 'gold' })
  await started.settle()
  // A misspelt option, or a wrong value, is an error.
  expect(complaint.mock.calls).toEqual([])
  complaint.mockRestore()
  return { ...started, properties: event?.properties }
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})

const stored = () => localStorage.length + sessionStorage.length + document.cookie.length

/** What each recipe promises. */
const PROMISES: Readonly<Record<string, () => Promise<void>>> = {
  'Nothing before consent': async () => {
    const { analytics, sent, apiRequests, properties, settle } = await startRecipe('Nothing before consent')
    expect([properties, sent, apiRequests, stored()]).toEqual([undefined, [], [], 0])
    analytics.set_config({ advanced_disable_flags: false })
    analytics.opt_in_capturing()
    analytics.capture('after')
    await settle()
    expect(sent.map(({ event }) => event)).toContain('after')
  },
  'Count without cookies': async () => {
    const { properties } = await startRecipe('Count without cookies')
    expect(properties).toMatchObject({ $cookieless_mode: true })
    expect([properties!.$device_id, properties!.$session_id, stored()]).toEqual([null, undefined, 0])
  },
  'Ask, and count without cookies after a refusal': async () => {
    const { analytics, properties } = await startRecipe('Ask, and count without cookies after a refusal')
    expect([properties, stored()]).toEqual([undefined, 0])
    analytics.opt_out_capturing()
    expect(analytics.capture('after')?.properties.$cookieless_mode).toBe(true)
  },
  'Respect Do Not Track and Global Privacy Control': async () => {
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true })
    try {
      const { properties } = await startRecipe('Respect Do Not Track and Global Privacy Control')
      expect(properties).toBeUndefined()
    } finally {
      Reflect.deleteProperty(navigator, 'globalPrivacyControl')
    }
  },
  'Forget the visitor with the tab': async () => {
    const { properties } = await startRecipe('Forget the visitor with the tab')
    const id = properties!.$device_id as string
    expect(JSON.stringify({ ...sessionStorage })).toContain(id)
    expect(document.cookie).not.toContain(id)
  },
  'Never send a property': async () => {
    const { sent, properties } = await startRecipe('Never send a property')
    expect(properties).toMatchObject({ plan: 'gold', $pathname: '/' })
    for (const name of ['$current_url', '$referrer', 'email']) expect(JSON.stringify(sent)).not.toContain(`"${name}"`)
  },
  'Remove ids from paths': async () => {
    const { properties } = await startRecipe('Remove ids from paths', '/orders/4711/items')
    expect(properties).toMatchObject({ $pathname: '/orders/id/items' })
    expect(properties!.$current_url).not.toContain('4711')
  },
  'Mask the click ids of advertisers': async () => {
    const { properties } = await startRecipe('Mask the click ids of advertisers', '/?gclid=abc123&customer=ada&page=2')
    expect(properties!.$current_url).toMatch(/page=2/)
    expect(JSON.stringify(properties)).not.toMatch(/abc123|customer=ada/)
  },
  'Only identified people have a profile': async () => {
    const { properties } = await startRecipe('Only identified people have a profile')
    expect(properties!.$process_person_profile).toBe(false)
  },
  'Record layouts, not texts': async () => {
    const { analytics } = await startRecipe('Record layouts, not texts')
    expect(analytics.config.session_recording.masking).toBe('strict')
  },
}

test(`${PAGE}: every recipe with options has a promise that is tested`, () => {
  expect([...RECIPES.keys()].sort()).toEqual(Object.keys(PROMISES).sort())
})

test.each(Object.entries(PROMISES))(`${PAGE}: %s`, (_title, keep) => keep())

import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { Analytics, CapturedEvent, Options } from '../../src/entries/main'

// The compiler checks this file (`npm run typecheck`). Each @ts-expect-error is a mistake it must report.
const uses = (analytics: Analytics) => {
  analytics.init('t', {
    loaded: (sdk) => sdk.identify('u'),
    before_send: [(event) => event, () => null],
    persistence: 'memory',
  })
  const event: CapturedEvent | undefined = analytics.capture(
    'x',
    { any: [1, { thing: true }] },
    { send_instantly: true },
  )
  analytics.on('eventsDelivered', ({ uuids }) => uuids.includes(event?.uuid ?? ''))
  analytics.on('eventDropped', ({ reason }) => reason === 'before_send')
  const options: Options = { capture_pageview: 'history_change', rageclick: { content_ignorelist: ['next'] } }
  analytics.set_config(options)

  const flag: boolean | string | undefined = analytics.getFeatureFlag('f', { send_event: false })
  const isOn: boolean | undefined = analytics.isFeatureEnabled('f')
  const stop: () => void = analytics.onFeatureFlags((keys, values) => void [keys.join(), values.f === flag || isOn])
  stop()
  analytics.setPersonProperties({ plan: 'gold' }, { first: 1 })
  analytics.group('company', 'acme', { seats: 5 })
  analytics.reset(true)
  const ended: Promise<void> = analytics.shutdown()
  void ended

  // @ts-expect-error flag keys are strings
  analytics.getFeatureFlag(5)
  // @ts-expect-error a flag value may also be a string
  const onlyOn: boolean | undefined = analytics.getFeatureFlag('f')
  void onlyOn
  // @ts-expect-error config is read-only; use set_config
  analytics.config = {}
  // @ts-expect-error a group requires a key
  analytics.group('company')
  // @ts-expect-error super properties are an object
  analytics.register('plan', 'gold')
  // @ts-expect-error unknown transport
  analytics.capture('x', {}, { transport: 'pigeon' })
  // @ts-expect-error the token is a string
  analytics.init(5)
  // @ts-expect-error unknown option
  analytics.set_config({ capture_pageviews: true })
  // @ts-expect-error invalid option value
  analytics.set_config({ capture_pageview: 'always' })
  // @ts-expect-error an event requires a name
  analytics.capture()
  // @ts-expect-error a person id is a string
  analytics.identify(42)
  // @ts-expect-error unknown drop reason
  analytics.on('eventDropped', ({ reason }) => reason === 'bored')
}

test('the public types accept valid and reject invalid usage', () => {
  expect(uses).toBeInstanceOf(Function)
  expect(
    createAnalytics({ features: FEATURES, makeLoad: () => () => Promise.reject(new Error('not loaded')) }),
  ).toHaveProperty('init')
})

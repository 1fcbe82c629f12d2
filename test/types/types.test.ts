import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import type { Analytics, CapturedEvent, Options } from '../../src/entries/main'

// What this file says is checked by the compiler (`npm run typecheck`); each @ts-expect-error is a mistake it must find.
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

  // @ts-expect-error a flag's key is text
  analytics.getFeatureFlag(5)
  // @ts-expect-error a flag is not only on or off
  const onlyOn: boolean | undefined = analytics.getFeatureFlag('f')
  void onlyOn
  // @ts-expect-error the configuration is changed by set_config, not replaced
  analytics.config = {}
  // @ts-expect-error a group has a key
  analytics.group('company')
  // @ts-expect-error super properties are an object
  analytics.register('plan', 'gold')
  // @ts-expect-error a transport that is not there
  analytics.capture('x', {}, { transport: 'pigeon' })
  // @ts-expect-error the token is text
  analytics.init(5)
  // @ts-expect-error an option that is not there
  analytics.set_config({ capture_pageviews: true })
  // @ts-expect-error a value that the option does not take
  analytics.set_config({ capture_pageview: 'always' })
  // @ts-expect-error an event has a name
  analytics.capture()
  // @ts-expect-error a person's id is text
  analytics.identify(42)
  // @ts-expect-error a reason that is not in the list
  analytics.on('eventDropped', ({ reason }) => reason === 'bored')
}

test('the public types say what is allowed', () => {
  expect(uses).toBeInstanceOf(Function)
  expect(createAnalytics(FEATURES, () => () => Promise.reject(new Error('not loaded')))).toHaveProperty('init')
})

import { createAnalytics } from '../../src/client/instances'
import type { Analytics, CapturedEvent, Options } from '../../src/entries/main'

// What this file says is checked by the compiler (`npm run typecheck`); each @ts-expect-error is a mistake it must find.
const uses = (analytics: Analytics) => {
  analytics.init('t', { loaded: (sdk) => sdk.identify('u'), before_send: [(event) => event, () => null], persistence: 'memory' })
  const event: CapturedEvent | undefined = analytics.capture('x', { any: [1, { thing: true }] }, { send_instantly: true })
  analytics.on('eventsDelivered', ({ uuids }) => uuids.includes(event?.uuid ?? ''))
  analytics.on('eventDropped', ({ reason }) => reason === 'before_send')
  const options: Options = { capture_pageview: 'history_change', rageclick: { content_ignorelist: ['next'] } }
  analytics.set_config(options)

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
  expect(createAnalytics(() => () => Promise.reject())).toHaveProperty('init')
})

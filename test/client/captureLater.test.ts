import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const OPTIONS = { autocapture: true, person_profiles: 'always' } as const

/** Clicks the button of a page whose own listener runs `respond`. */
const click = (respond: () => void) => {
  document.body.innerHTML = '<main class="shop"><button id="buy">Buy</button></main>'
  const button = document.querySelector('button')!
  button.addEventListener('click', respond)
  button.click()
}

afterEach(() => history.replaceState(null, '', '/'))

test('a click is captured as the page was before its own listeners changed it', async () => {
  const { analytics, sent, settle } = startAnalytics(OPTIONS)
  history.replaceState(null, '', '/cart?utm_source=mail')
  analytics.capture('view')
  const clickedAt = new Date().toISOString()
  click(() => {
    jest.setSystemTime(Date.now() + 700)
    document.querySelector('main')!.className = 'thanks'
    document.querySelector('button')!.textContent = 'Bought'
    document.body.innerHTML = ''
    history.pushState(null, '', '/thanks')
  })
  analytics.capture('later')
  await settle()
  expect(sent.map(({ event, properties }) => [event, properties.$pathname])).toEqual([
    ['view', '/cart'],
    ['$autocapture', '/cart'],
    ['later', '/thanks'],
  ])
  expect(sent[1]).toMatchObject({
    timestamp: clickedAt,
    properties: {
      $current_url: 'http://localhost/cart?utm_source=mail',
      $host: 'localhost',
      $el_text: 'Buy',
      $elements_chain: expect.stringMatching(/^button:.*text="Buy";main\.shop:/) as string,
    },
  })
  expect(sent[1]!.properties).not.toHaveProperty('$event_time_override_provided')
})

test('a click stores the campaign of its URL if no event was captured there before', async () => {
  const { analytics, sent, settle } = startAnalytics(OPTIONS)
  history.replaceState(null, '', '/?utm_source=mail')
  click(() => history.pushState(null, '', '/thanks'))
  analytics.capture('later')
  await settle()
  expect(sent.map(({ properties }) => properties.utm_source)).toEqual(['mail', 'mail'])
})

test.each<[name: string, change: (analytics: ReturnType<typeof startAnalytics>['analytics']) => void]>([
  ['identify', (analytics) => analytics.identify('ada')],
  ['reset', (analytics) => analytics.reset()],
  ['register', (analytics) => analytics.register({ plan: 'gold' })],
  ['group', (analytics) => analytics.group('company', 'acme')],
])('a click is captured before %s() in its listener takes effect', async (_, change) => {
  const { analytics, sent, settle } = startAnalytics(OPTIONS)
  const before = analytics.capture('before')!.properties
  click(() => change(analytics))
  await settle()
  const [first, second] = sent
  expect([first!.event, second!.event]).toEqual(['before', '$autocapture'])
  for (const name of ['distinct_id', '$device_id', '$session_id', '$groups', 'plan', '$is_identified'])
    expect(second!.properties[name]).toEqual(before[name])
})

test('a click before opt_out_capturing() is dropped with the other waiting events', async () => {
  const { analytics, sent, settle } = startAnalytics(OPTIONS)
  analytics.capture('before')
  click(() => analytics.opt_out_capturing())
  await settle()
  expect(sent).toEqual([])
  expect(analytics.drops()).toEqual({ opted_out: 2 })
})

test('a click is captured once when the page is left in its task', async () => {
  const { analytics, settle } = startAnalytics({ ...OPTIONS, capture_pageleave: true })
  const captured: string[] = []
  analytics.on('eventCaptured', ({ event }) => void captured.push(event))
  analytics.capture('before')
  click(() => dispatchEvent(new Event('pagehide')))
  expect(captured).toEqual(['before', '$autocapture', '$pageleave'])
  await settle()
  expect(captured).toHaveLength(3)
})

test('clicks in one task are captured in order, and one that throws does not affect the others', async () => {
  const errors = listenToConsole('error')
  const { analytics, sent, settle } = startAnalytics({
    ...OPTIONS,
    before_send: (event) => {
      if (event.properties.$el_text === 'b') throw new Error('before_send')
      return event
    },
  })
  analytics.capture('before')
  document.body.innerHTML = '<button>a</button><button>b</button><button>c</button>'
  document.querySelectorAll('button').forEach((each) => each.click())
  await settle()
  expect(sent.map(({ properties }) => properties.$el_text)).toEqual([undefined, 'a', 'c'])
  expect(errors).toHaveLength(1)
})

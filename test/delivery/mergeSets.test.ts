import { listenToConsole, startAnalytics } from '../support/startAnalytics'

const LIMITS = { rate_limiting: { events_per_second: 1000 } }

test('600 changes of a person within two seconds are one event and few requests of flags', async () => {
  const { analytics, sent, apiRequests, settle } = startAnalytics(LIMITS)
  await settle()
  apiRequests.length = 0
  sent.length = 0
  for (let index = 0; index < 600; index++) {
    analytics.setPersonProperties({ index, [`p${index % 7}`]: index }, { first: index })
    if (index % 3 === 0) await settle(10)
  }
  await settle(10_000)
  const sets = sent.filter(({ event }) => event === '$set')
  expect(sets.length).toBeLessThanOrEqual(2)
  const all = sets.map(({ properties }) => properties as { $set: object; $set_once: object })
  expect(Object.assign({}, ...all.map(({ $set }) => $set))).toMatchObject({ index: 599, p6: 594, p0: 595 })
  expect(all[0]!.$set_once).toMatchObject({ first: 0 })
  expect(apiRequests.length).toBeLessThanOrEqual(8)
  expect(analytics.drops()).toEqual({})
  expect(analytics.explain().filter(({ state }) => state !== 'delivered')).toEqual([])
})

test('changes of a person are not merged across other events, removals, identities and given times', async () => {
  listenToConsole('warn')
  const { analytics, sent, settle } = startAnalytics(LIMITS)
  analytics.identify('a')
  analytics.setPersonProperties({ n: 1 })
  analytics.capture('x')
  analytics.setPersonProperties({ n: 2 })
  analytics.unsetPersonProperties('n')
  analytics.setPersonProperties({ n: 3 })
  analytics.reset()
  analytics.identify('b')
  analytics.setPersonProperties({ n: 4 })
  analytics.capture('$set', { $set: { n: 5 } }, { timestamp: new Date(0) })
  analytics.setPersonProperties({ n: 6 })
  analytics.setPersonProperties({ m: 7 })
  await settle()
  const changes = sent.map(({ event, properties }) => [
    event,
    properties.distinct_id,
    properties.$set ?? properties.$unset,
  ])
  expect(changes).toEqual([
    ['$identify', 'a', undefined],
    ['$set', 'a', { n: 1 }],
    ['x', 'a', undefined],
    ['$set', 'a', { n: 2 }],
    ['$set', 'a', ['n']],
    ['$set', 'a', { n: 3 }],
    ['$identify', 'b', undefined],
    ['$set', 'b', { n: 4 }],
    ['$set', 'b', { n: 5 }],
    ['$set', 'b', { n: 6, m: 7 }],
  ])
})

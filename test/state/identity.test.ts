import { createIdentity, isIdentifier } from '../../src/state/identity'
import { createStore } from '../../src/state/store'

const setUp = (stored: Record<string, unknown> = {}, bootstrap = {}) => {
  jest.useFakeTimers()
  const store = createStore()
  store.set(stored)
  let count = 0
  return {
    store,
    identity: createIdentity(
      store,
      () => `new-${++count}`,
      bootstrap,
      () => 7,
    ),
  }
}

test('a new visitor gets one id for person and device', () => {
  const { identity } = setUp()
  expect([identity.distinctId(), identity.deviceId(), identity.isIdentified()]).toEqual(['new-1', 'new-1', false])
})

test('a returning visitor keeps the stored ids', () => {
  const { identity } = setUp({ distinct_id: 'u', $device_id: 'd', $user_state: 'identified' })
  expect([identity.distinctId(), identity.deviceId(), identity.isIdentified()]).toEqual(['u', 'd', true])
})

test.each([
  [
    'identify sets the id of an anonymous visitor',
    { distinct_id: 'a', $user_state: 'anonymous' },
    'u',
    { was: 'a', change: 'identified' },
  ],
  [
    'identify accepts the current id of an anonymous visitor',
    { distinct_id: 'u', $user_state: 'anonymous' },
    'u',
    { was: 'u', change: 'confirmed' },
  ],
  [
    'identify does not change an identified visitor with an equal id',
    { distinct_id: 'u', $user_state: 'identified' },
    'u',
    { was: 'u', change: 'same' },
  ],
  [
    'identify replaces the id of an identified visitor',
    { distinct_id: 'u', $user_state: 'identified' },
    'v',
    { was: 'u', change: 'switched' },
  ],
])('%s', (_, stored, id, expected) => {
  const { identity } = setUp(stored)
  expect(identity.become(id)).toEqual(expected)
  expect(identity.distinctId()).toBe(id)
})

test('a device without an id gets the distinct id of the visitor', () => {
  const { identity, store } = setUp({ distinct_id: 'a' })
  identity.become('u')
  expect(identity.deviceId()).toBe('a')
  expect(store.get('$had_persisted_distinct_id')).toBe(true)
})

test('bootstrap sets the id of a new visitor', () => {
  const { identity } = setUp({}, { distinctID: 'b', isIdentifiedID: true })
  expect([identity.distinctId(), identity.isIdentified()]).toEqual(['b', true])
  expect(identity.deviceId()).not.toBe('b')
})

test('bootstrap never makes an identified visitor anonymous and never changes the device id', () => {
  const known = { distinct_id: 'u', $device_id: 'd', $user_state: 'identified' }
  expect(setUp(known, { distinctID: 'b' }).identity.distinctId()).toBe('u')
  const again = setUp(
    { distinct_id: 'b', $device_id: 'd', $user_state: 'identified' },
    { distinctID: 'b', isIdentifiedID: true },
  )
  expect(again.identity.deviceId()).toBe('d')
})

test.each([
  ['u', true],
  ['0', true],
  ['', false],
  ['  ', false],
  ['undefined', false],
  ['NULL', false],
  ['distinct_id', false],
  ['$posthog_cookieless', false],
])('%j is a valid identifier: %s', (id, expected) => expect(isIdentifier(id)).toBe(expected))

test('only identify and reset set the identity timestamp, not a generated id', () => {
  const { identity, store } = setUp()
  expect(store.get('$identity_at')).toBeUndefined()
  identity.become('u')
  expect(store.get('$identity_at')).toBe(7)
  identity.renew(false)
  expect(store.get('$identity_at')).toBe(8)
})

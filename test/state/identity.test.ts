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

test('a known visitor keeps theirs', () => {
  const { identity } = setUp({ distinct_id: 'u', $device_id: 'd', $user_state: 'identified' })
  expect([identity.distinctId(), identity.deviceId(), identity.isIdentified()]).toEqual(['u', 'd', true])
})

test.each([
  [
    'an anonymous visitor gets a name',
    { distinct_id: 'a', $user_state: 'anonymous' },
    'u',
    { was: 'a', change: 'identified' },
  ],
  [
    "an anonymous visitor's id is the name",
    { distinct_id: 'u', $user_state: 'anonymous' },
    'u',
    { was: 'u', change: 'confirmed' },
  ],
  ['a named visitor stays', { distinct_id: 'u', $user_state: 'identified' }, 'u', { was: 'u', change: 'same' }],
  [
    'a named visitor becomes another',
    { distinct_id: 'u', $user_state: 'identified' },
    'v',
    { was: 'u', change: 'switched' },
  ],
])('%s', (_, stored, id, expected) => {
  const { identity } = setUp(stored)
  expect(identity.become(id)).toEqual(expected)
  expect(identity.distinctId()).toBe(id)
})

test('a device without an id takes the one the visitor had', () => {
  const { identity, store } = setUp({ distinct_id: 'a' })
  identity.become('u')
  expect(identity.deviceId()).toBe('a')
  expect(store.get('$had_persisted_distinct_id')).toBe(true)
})

test('bootstrap names a new visitor', () => {
  const { identity } = setUp({}, { distinctID: 'b', isIdentifiedID: true })
  expect([identity.distinctId(), identity.isIdentified()]).toEqual(['b', true])
  expect(identity.deviceId()).not.toBe('b')
})

test('bootstrap never puts a named visitor back to less, and changes no device id', () => {
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
])('%j names somebody: %s', (id, expected) => expect(isIdentifier(id)).toBe(expected))

test('an id that is made up for a new visitor is no decision, a name and a reset are', () => {
  const { identity, store } = setUp()
  expect(store.get('$identity_at')).toBeUndefined()
  identity.become('u')
  expect(store.get('$identity_at')).toBe(7)
  identity.renew(false)
  expect(store.get('$identity_at')).toBe(8)
})

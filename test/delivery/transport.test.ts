import { beacon } from '../../src/delivery/transport'

test.each([
  ['takes it', () => true, true],
  ['has too much under way', () => false, false],
  [
    'forbids beacons',
    () => {
      throw new Error('forbidden')
    },
    false,
  ],
])('a browser that %s: beacon answers so', (_, sendBeacon, taken) => {
  Object.assign(navigator, { sendBeacon })
  expect(beacon('https://events.example.com/e/', { data: '{}', type: 'application/json' })).toBe(taken)
})

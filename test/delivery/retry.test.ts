import { outcomeOf, retryDelay } from '../../src/delivery/retry'

test.each([
  [200, 'stored'],
  [202, 'stored'],
  [204, 'stored'],
  [0, 'again'],
  [301, 'again'],
  [400, 'refused'],
  [401, 'refused'],
  [404, 'refused'],
  [408, 'again'],
  [413, 'too_large'],
  [425, 'again'],
  [429, 'again'],
  [500, 'again'],
  [503, 'again'],
])('status %i: %s', (status, outcome) => expect(outcomeOf({ status })).toBe(outcome))

test.each([
  [1, 0, 2250, 3750],
  [2, 0, 4500, 7500],
  [20, 0, 1_350_000, 2_250_000],
  [1, 60_000, 60_000, 60_000],
])('try %i after being asked for %i ms waits %i to %i ms', (tries, asked, least, most) => {
  expect(retryDelay(tries, asked, () => 0)).toBe(least)
  expect(retryDelay(tries, asked, () => 1)).toBe(most)
})

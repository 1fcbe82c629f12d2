import { outcomeOf, retryDelay } from '../../src/delivery/retry'

test.each([
  [0, 'again'],
  [301, 'again'],
  [400, 'rejected'],
  [401, 'rejected'],
  [404, 'rejected'],
  [408, 'again'],
  [413, 'too_large'],
  [425, 'again'],
  [429, 'again'],
  [500, 'again'],
  [503, 'again'],
])('outcomeOf maps status %i to %s', (status, outcome) => expect(outcomeOf({ status })).toBe(outcome))

test.each<[string, Parameters<typeof outcomeOf>[0], string]>([
  ["this service's acknowledgment", { status: 200, json: { status: 1 } }, 'stored'],
  ['an acknowledgment that names rejected events', { status: 200, json: { status: 1, refused: [] } }, 'stored'],
  ["a PostHog instance's acknowledgment", { status: 200, json: { status: 'Ok' } }, 'stored'],
  ["an old instance's acknowledgment", { status: 200, json: 1 }, 'stored'],
  ['an HTML page', { status: 200, isForeign: true }, 'again'],
  ['an empty body', { status: 204 }, 'again'],
  ["the JSON of a service worker's offline response", { status: 200, json: { offline: true } }, 'again'],
  ['an empty object', { status: 200, json: {} }, 'again'],
  ['null', { status: 200, json: null }, 'again'],
  ['an error object', { status: 200, json: { status: 0 } }, 'again'],
  ['the HTML of a captive portal with status 403', { status: 403, isForeign: true }, 'again'],
  ['the HTML of a proxy that limits bodies', { status: 413, isForeign: true }, 'too_large'],
])('outcomeOf classifies %s', (_, response, outcome) => expect(outcomeOf(response)).toBe(outcome))

test.each([
  [1, 0, 2250, 3750],
  [2, 0, 4500, 7500],
  [20, 0, 1_350_000, 2_250_000],
  [1, 60_000, 60_000, 60_000],
  [1, 2_592_000_000, 1_800_000, 1_800_000],
  [1, Infinity, 1_800_000, 1_800_000],
])('retry %i with a Retry-After of %i ms is delayed by %i to %i ms', (tries, retryAfterMs, least, most) => {
  expect(retryDelay(tries, retryAfterMs, () => 0)).toBe(least)
  expect(retryDelay(tries, retryAfterMs, () => 1)).toBe(most)
})

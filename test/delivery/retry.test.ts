import { outcomeOf, retryDelay } from '../../src/delivery/retry'
import { parseJson } from '../../src/lib/json'
import { FOREIGN_ERRORS, REFUSAL } from '../support/foreignErrors'

const outcome = (status: number, body = '', isRedirected = false) =>
  outcomeOf({ status, text: body, json: parseJson(body), isRedirected })
const error = (type: string, code: string) => JSON.stringify({ type, code, detail: 'no', attr: null })

test.each([
  [0, 'again'],
  [301, 'again'],
  [400, 'rejected'],
  [401, 'rejected'],
  [404, 'rejected'],
  [408, 'again'],
  [413, 'rejected'],
  [425, 'again'],
  [429, 'again'],
  [500, 'again'],
  [503, 'again'],
])('outcomeOf maps status %i with an error of the service to %s', (status, expected) =>
  expect(outcome(status, JSON.stringify(REFUSAL))).toBe(expected),
)

test.each([
  ["this service's acknowledgment", 200, '{"status":1}', 'stored'],
  ['an acknowledgment that names rejected events', 200, '{"status":1,"refused":[]}', 'stored'],
  ["a PostHog instance's acknowledgment", 200, '{"status":"Ok"}', 'stored'],
  ["an old instance's acknowledgment", 200, '1', 'stored'],
  ['an HTML page', 200, '<!doctype html>', 'again'],
  ['an empty body', 204, '', 'again'],
  ["the JSON of a service worker's offline response", 200, '{"offline":true}', 'again'],
  ['an empty object', 200, '{}', 'again'],
  ['null', 200, 'null', 'again'],
  ['an error object', 200, '{"status":0}', 'again'],
  ['the HTML of a captive portal with status 403', 403, '\n<!doctype html>', 'foreign'],
  ['an unknown token', 401, error('authentication_error', 'invalid_token'), 'rejected'],
  ['an unknown path of the service', 404, error('invalid_request', 'not_found'), 'rejected'],
  ['a body that was changed on the way', 400, error('validation_error', 'invalid_json'), 'foreign'],
  ['a body that was decoded on the way', 400, error('validation_error', 'invalid_encoding'), 'foreign'],
  ['a sentence of PostHog about an event', 400, 'event submitted without a distinct_id', 'rejected'],
  ['a sentence of PostHog about the token', 401, 'API key is not valid: personal_api_key', 'rejected'],
])('outcomeOf classifies %s', (_, status, body, expected) => expect(outcome(status, body)).toBe(expected))

test.each(FOREIGN_ERRORS)(
  'outcomeOf does not take an error of %s with status %i for a rejection by the service',
  (_, status, body) => {
    const isRetryable = status >= 500 || [413, 429].includes(status)
    expect(outcome(status, body)).toBe(isRetryable ? 'again' : 'foreign')
  },
)

test('outcomeOf does not take the error of another URL for a rejection', () =>
  expect(outcome(404, JSON.stringify(REFUSAL), true)).toBe('foreign'))

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

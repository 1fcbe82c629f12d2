import { repeatedHeader } from '../../src/http/headers.ts'

test.each([
  [['Host', 'a', 'host', 'b'], 'host'],
  [['Authorization', 'Bearer a', 'X-Other', '1', 'authorization', 'Bearer b'], 'authorization'],
  [['Host', 'a', 'Content-Type', 'text/plain', 'content-type', 'application/json'], 'content-type'],
  [['Origin', 'https://a.example', 'Origin', 'https://b.example'], 'origin'],
])('rejects the repeated headers %j', (rawHeaders, name) => {
  const error = repeatedHeader(rawHeaders)!
  expect([error.code, error.details.detail]).toEqual([
    'invalid_input',
    `The request has more than one "${name}" header. Send only one.`,
  ])
})

test.each([[['Host', 'a', 'Accept', 'x', 'Accept', 'y', 'Cookie', '1', 'Cookie', '2']], [[]], [['x', 'host']]])(
  'accepts the headers %j',
  (rawHeaders) => {
    expect(repeatedHeader(rawHeaders)).toBeUndefined()
  },
)

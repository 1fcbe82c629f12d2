import { type ReadEvent, eventsOf, readOne } from '../../src/ingest/read.ts'
import { isUuid } from '../../src/lib/uuid.ts'
import { INHERITED, INVISIBLE } from '../support/hostileValues.ts'

const NOW = Date.UTC(2026, 10, 21)
const UUID = '0193F3A0-0000-7000-8000-000000000001'
const read = (body: unknown, queryToken?: string) => {
  const { events, envelope } = eventsOf(body)
  return events.map((event, index) => readOne(event, index, envelope, { queryToken, receivedAt: NOW }))
}
const one = (event: unknown) => read([event])[0]!
const good = { event: 'e', properties: { distinct_id: 'd', token: 't' } }

test.each([
  ['a batch', { api_key: 't', batch: [good, good] }, 2],
  ['data', { api_key: 't', data: [good] }, 1],
  ['data with one event', { api_key: 't', data: good }, 1],
  ['a bare list', [good, good, good], 3],
  ['a bare event', good, 1],
  ['an empty batch', { api_key: 't', batch: [] }, 0],
])('reads the events of %s', (_, body, count) => {
  const readings = read(body)
  expect(readings).toHaveLength(count)
  for (const { token, result } of readings) {
    expect(token).toBe('t')
    expect(result).toMatchObject({ event: 'e', distinctId: 'd', timestamp: NOW })
  }
})

test.each([
  ['around the events', { api_key: 'a', batch: [good] }, 'a'],
  ['in the properties', [good], 't'],
  ['next to the properties', [{ event: 'e', token: 'b', properties: {} }], 'b'],
  ['in the URL', [{ event: 'e' }], 'q'],
])('finds the token %s', (_, body, token) => {
  expect(read(body, 'q')[0]!.token).toBe(token)
})

test('events of several projects in one request keep their tokens', () => {
  const of = (token: string) => ({ event: 'e', properties: { distinct_id: 'd', token } })
  expect(read([of('a'), of('b')]).map(({ token }) => token)).toEqual(['a', 'b'])
})

test.each([
  ['a string', 'x', 'not_an_object'],
  ['null', null, 'not_an_object'],
  ['no name', { properties: { distinct_id: 'd' } }, 'missing_event_name'],
  ['an empty name', { ...good, event: ' ' }, 'missing_event_name'],
  ['a name that is a number', { ...good, event: 5 }, 'missing_event_name'],
  ['a long name', { ...good, event: 'x'.repeat(201) }, 'event_name_too_long'],
  ['no distinct id', { event: 'e', properties: {} }, 'missing_distinct_id'],
  ['an empty distinct id', { event: 'e', properties: { distinct_id: '' } }, 'missing_distinct_id'],
  ['an object as distinct id', { event: 'e', properties: { distinct_id: {} } }, 'missing_distinct_id'],
  ['a long distinct id', { event: 'e', distinct_id: 'x'.repeat(1001) }, 'distinct_id_too_long'],
  ['a bad uuid', { ...good, uuid: '1-2-3' }, 'invalid_uuid'],
  ['a list of properties', { ...good, properties: [] }, 'invalid_properties'],
  ['a bad timestamp', { ...good, timestamp: 'soon' }, 'invalid_timestamp'],
])('rejects an event with %s', (_, event, code) => {
  expect(one(event).result).toBe(code)
})

test.each(INVISIBLE)('an invisible text, %j, counts as missing in every name and id', (text) => {
  expect(one({ ...good, event: text }).result).toBe('missing_event_name')
  expect(one({ event: 'e', properties: { distinct_id: text } }).result).toBe('missing_distinct_id')
  expect(one({ event: 'e', distinct_id: 'next', properties: { distinct_id: text } }).result).toMatchObject({
    distinctId: 'next',
  })
  const properties = {
    $anon_distinct_id: text,
    $session_id: text,
    $window_id: text,
    $groups: { company: text, [text]: 'a' },
  }
  expect(one({ event: '$identify', properties: { distinct_id: 'd', ...properties } }).result).toMatchObject({
    sessionId: '',
    windowId: '',
    identity: { groups: [], person: { merge: { from: '', into: 'd' } } },
  })
  const alias = one({ event: '$create_alias', properties: { distinct_id: 'd', alias: text } }).result as ReadEvent
  expect(alias.identity.person).not.toHaveProperty('merge')
})

test('an id is stored without NUL and lone surrogates, and that of a session only if it fits', () => {
  const properties = { distinct_id: 'a\0\ud800', $session_id: 'x'.repeat(201), $window_id: 'b\0' }
  expect(one({ event: 'e\0', properties }).result).toMatchObject({
    event: 'e\ufffd',
    distinctId: 'a\ufffd\ufffd',
    sessionId: '',
    windowId: 'b\ufffd',
  })
})

test.each(INHERITED)('%s is an id and a name like any other', (text) => {
  expect(one({ event: text, properties: { distinct_id: text, $groups: { [text]: text } } }).result).toMatchObject({
    event: text,
    distinctId: text,
    identity: { groups: [{ type: text, key: text }] },
  })
})

test('an event nested a million levels deep is rejected without affecting the next event', () => {
  const deep = JSON.parse(
    `{"event":"e","properties":{"distinct_id":"d","x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}}`,
  )
  expect(read([deep, good]).map(({ result }) => typeof result)).toEqual(['string', 'object'])
})

test.each(['$set', '$set_once', '$unset', '$groups', '$group_set'])(
  'rejects an event with too many names in %s',
  (name) => {
    const names = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`n${n}`, 1]))
    expect(one({ event: 'e', properties: { distinct_id: 'd', [name]: names } }).result).toBe('too_many_changes')
  },
)

test.each([
  ['accepts a number as distinct ID', { event: 'e', properties: { distinct_id: 7 } }, { distinctId: '7' }],
  [
    'prefers the distinct ID inside the properties',
    { event: 'e', distinct_id: 'out', properties: { distinct_id: 'in' } },
    { distinctId: 'in' },
  ],
  [
    'accepts the distinct ID next to the properties',
    { event: 'e', distinct_id: 'out' },
    { distinctId: 'out', properties: '{}' },
  ],
  ['stores a UUID in lower case', { ...good, uuid: UUID }, { uuid: UUID.toLowerCase() }],
  [
    'extracts the session and window into columns',
    { event: 'e', properties: { distinct_id: 'd', $session_id: 's', $window_id: 'w' } },
    { sessionId: 's', windowId: 'w' },
  ],
  [
    'extracts the elements chain into a column',
    { event: 'e', properties: { distinct_id: 'd', $elements_chain: 'a:b' } },
    { elementsChain: 'a:b', properties: '{"distinct_id":"d"}' },
  ],
  [
    'merges person updates next to the properties over those in them',
    {
      event: 'e',
      $set: { a: 2 },
      $set_once: { c: 3 },
      $unset: ['x'],
      properties: { distinct_id: 'd', $set: { a: 1, b: 1 } },
    },
    { properties: '{"distinct_id":"d","$set":{"a":2,"b":1},"$set_once":{"c":3},"$unset":["x"]}' },
  ],
])('reading an event %s', (_, event, expected) => {
  expect(one(event).result).toMatchObject(expected)
})

test('assigns a UUIDv7 to an event without a UUID', () => {
  const { uuid } = one(good).result as ReadEvent
  expect(isUuid(uuid)).toBe(true)
  expect(uuid[14]).toBe('7')
})

test('sent_at of a request corrects the timestamps of all of its events', () => {
  const sent_at = new Date(NOW + 3_600_000).toISOString()
  const [reading] = read({ api_key: 't', sent_at, batch: [{ ...good, timestamp: sent_at }] })
  expect(reading!.result).toMatchObject({ timestamp: NOW })
})

test.each([
  ['a string', 'x'],
  ['a number', 5],
  ['null', null],
  ['an object without events', { api_key: 't' }],
  ['a batch that is not a list', { api_key: 't', batch: 'x' }],
])('rejects the whole body if it is %s', (_, body) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})

test('rejects the whole body if it has too many events', () => {
  expect(() => read(Array.from({ length: 10_001 }, () => good))).toThrow(
    expect.objectContaining({ code: 'body_too_large' }),
  )
})

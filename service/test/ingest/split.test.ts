import { parseBounded, MAX_EVENT_BYTES, MAX_EVENT_VALUES, MAX_WHOLE_VALUES, splitBody } from '../../src/ingest/split.ts'
import { firstTokenIn, MAX_TOKENS, tokensIn } from '../../src/ingest/tokens.ts'
import { WITHOUT_PAUSE } from '../../src/lib/timeSlices.ts'

const split = (text: string) => splitBody(Buffer.from(text), () => undefined)
const FILLER = { properties: { text: 'x'.repeat(1_000) } }
const EVENTS = [
  { event: 'brackets in strings', text: '[{"batch":[]}] \\" \\\\' },
  { event: 'é😀', nested: { list: [[], {}, [1, { a: [] }]] } },
  'a string',
  null,
  -1.5e3,
  ...Array.from({ length: 100 }, (_, n) => ({ event: `e${n}`, ...FILLER })),
]
const valuesOf = (pieces: readonly { bytes: Buffer }[] = []) => pieces.map(({ bytes }) => JSON.parse(String(bytes)))

test.each<[string, string, unknown]>([
  ['batch', JSON.stringify({ api_key: 'a', batch: EVENTS, sent_at: 's' }), { api_key: 'a', batch: [], sent_at: 's' }],
  ['data', JSON.stringify({ data: EVENTS, token: 't' }, null, 2), { data: [], token: 't' }],
  ['', JSON.stringify(EVENTS, null, 1), []],
])('splits the list "%s" of a body into its events', async (list, text, envelope) => {
  const body = await split(text)
  expect(body!.envelope).toEqual(envelope)
  expect(valuesOf(body!.lists[list])).toEqual(EVENTS)
})

test('splitting a body uses the last of two lists with one name, like JSON.parse', async () => {
  const body = await split(`{"batch":[1],"pad":"${'x'.repeat(100_000)}","batch":[2]}`)
  expect(valuesOf(body!.lists.batch)).toEqual([2])
})

test('splitting a body ignores lists inside an event', async () => {
  const event = { event: 'e', properties: { batch: [1, 2], data: [3], text: 'x'.repeat(100_000) } }
  const body = await split(JSON.stringify(event))
  expect(body).toEqual({ envelope: event, lists: {} })
})

test('splitting a body ignores a string value that equals a list name', async () => {
  const value = { kind: 'batch', other: [1], text: 'x'.repeat(100_000) }
  expect(await split(JSON.stringify(value))).toEqual({ envelope: value, lists: {} })
})

test('splitting a body leaves a small body whole', async () => {
  expect(await split('{"batch":[{}]}')).toBeUndefined()
})

const PAD = `"pad":"${'x'.repeat(70_000)}"`
test.each<[string, string, string]>([
  ['a truncated body', `{${PAD},"batch":[{"a":1},{"b"`, 'invalid_json'],
  ['a list closed by a brace', `{${PAD},"batch":[{}}}`, 'invalid_json'],
  ['text after the end', `[{${PAD}}] x`, 'invalid_json'],
  ['only brackets', '['.repeat(100_000), 'invalid_json'],
  ['many lists', `{${PAD},${'"batch":[],'.repeat(50)}"a":1}`, 'invalid_input'],
  ['more events than the limit', `[${'{},'.repeat(30_000)}{}]`, 'body_too_large'],
  ['too many events of one byte', `[${'1,'.repeat(5_000_000)}1]`, 'body_too_large'],
  ['too many bytes around the events', `{"pad":"${'x'.repeat(MAX_EVENT_BYTES)}","batch":[]}`, 'body_too_large'],
  [
    'too many values around the events',
    `{${PAD},"values":[${'1,'.repeat(MAX_WHOLE_VALUES)}1],"batch":[]}`,
    'invalid_input',
  ],
  ['one event that is nested too deeply', `{"event":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'invalid_input'],
])('rejects a large body: %s', async (_, text, code) => {
  await expect(split(text)).rejects.toMatchObject({ code })
})

test('splitting a body validates each event separately before parsing', async () => {
  const keys = Array.from({ length: MAX_EVENT_VALUES / 2 }, (_, n) => `"${n}":1`).join(',')
  const body = await split(
    `[{"good":1},{"deep":${'['.repeat(100)}${']'.repeat(100)}},{"long":"${'x'.repeat(MAX_EVENT_BYTES)}"},{${keys}},{"good":2}]`,
  )
  expect(body!.lists['']!.map(({ fault }) => fault)).toEqual([
    undefined,
    'properties_too_deep',
    'event_too_large',
    'too_many_values',
    undefined,
  ])
})

test('splitting a large body pauses between steps', async () => {
  let steps = 0
  await splitBody(Buffer.from(`[${`{"a":"${'x'.repeat(10_000)}"},`.repeat(1_000)}1]`), () => {
    steps += 1
    return Promise.resolve()
  })
  expect(steps).toBeGreaterThan(10)
})

test.each(['['.repeat(200_000), `[${'1,'.repeat(MAX_WHOLE_VALUES + 1)}1]`, `"${'x'.repeat(MAX_EVENT_BYTES)}"`])(
  'rejects JSON that would take long to parse (%#)',
  (text) => {
    expect(() => parseBounded(Buffer.from(text))).toThrow(expect.objectContaining({ name: 'ApiError' }))
  },
)

test('finds tokens in a body without parsing it', async () => {
  const text = `{"my_key":"no","broken":"no","api_key" : "one","batch":[{"properties":{"token":\n"two","x":"\\"token\\":\\"no\\""}}], "token":5, "token":"${'x'.repeat(300)}"}`
  expect(await tokensIn(Buffer.from(text), WITHOUT_PAUSE)).toEqual(['one', 'two'])
  expect(firstTokenIn(Buffer.from(text))).toBe('one')
})

test('searches a bounded number of tokens in a body', async () => {
  const text = Array.from({ length: 1_000_000 }, (_, n) => `"token":"${n}"`).join(',')
  expect(await tokensIn(Buffer.from(text), WITHOUT_PAUSE)).toHaveLength(MAX_TOKENS)
})

test('finds a token that spans two steps and pauses between steps', async () => {
  const step = 8 * 128 * 1024
  for (let at = step - 20; at <= step + 1; at += 1) {
    let pauses = 0
    const found = await tokensIn(Buffer.from(`${' '.repeat(at)}"api_key":"across"${' '.repeat(step)}`), () => {
      pauses += 1
      return Promise.resolve()
    })
    expect(found).toEqual(['across'])
    expect(pauses).toBeGreaterThanOrEqual(4)
  }
})

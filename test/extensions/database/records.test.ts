import type { Entry, Key } from '../../../src/lib/entry'
import { membersOf, recordOf, textsOf } from '../../../src/extensions/database/records'

const entry = (event: string, properties: object): Entry => ({
  event,
  uuid: `uuid-${event}`,
  at: 1,
  text: JSON.stringify({ event, properties }),
})

test('a record returns the texts of its events, whatever is in them', () => {
  const entries = [
    entry('a', { list: [1, 2], text: '},{"event":"x"' }),
    entry('b', {}),
    entry('ü😀', { text: 'line\nbreak, comma' }),
  ]
  const [{ key }, stored] = recordOf(entries, 'tab')
  expect(textsOf(stored, key)).toEqual(entries.map(({ text }) => text))
  expect(membersOf(key)).toEqual(entries.map(({ uuid, event, text }) => [uuid, event, text.length]))
})

test('a record of 2.0.0 has one event, which its key describes', () => {
  const { event, uuid, text } = entry('a', { price: 1 })
  const key: Key = [1, uuid, 'tab', text.length, event]
  expect(membersOf(key)).toEqual([[uuid, event, text.length]])
  expect(textsOf(text, key)).toEqual([text])
})

test('2.0.0 can send a record of several events as the text of one', () => {
  const entries = [entry('a', {}), entry('b', {})]
  expect(JSON.parse(`[${recordOf(entries, 'tab')[1]}]`)).toHaveLength(2)
})

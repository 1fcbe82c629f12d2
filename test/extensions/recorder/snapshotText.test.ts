/** @jest-environment node */
import { countValues } from '../../../service/src/lib/countValues'
import { startText } from '../../../src/extensions/recorder/snapshotText'

const TEXT = 'a "quoted\\" [{:,}] text\\'
const rows = Array.from({ length: 5000 }, (_, index) => ({
  type: 2,
  tagName: 'p',
  attributes: index % 2 ? { title: TEXT, [TEXT]: true } : {},
  childNodes: index % 3 ? [{ type: 3, textContent: TEXT, id: index }] : [],
  id: index,
}))

test('a full snapshot has as many keys and values as the service counts in its text', () => {
  const event = {
    type: 2,
    data: { node: { type: 0, childNodes: rows, id: 1 }, initialOffset: { top: 0, left: 0 } },
    timestamp: 1,
  }
  const done = jest.fn()
  startText(event, JSON.stringify, done).finish()
  const [text, values] = done.mock.calls[0]
  expect(JSON.parse(text)).toEqual(event)
  // The service counts the whole, too.
  expect(values).toBe(countValues(Buffer.from(text)) - 1)
})

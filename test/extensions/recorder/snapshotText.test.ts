/** @jest-environment node */
import { gunzipSync } from 'node:zlib'
import { countValues } from '../../../service/src/lib/countValues'
import { encodeInSlices } from '../../../src/extensions/recorder/encodeInSlices'
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
  const [parts, values] = done.mock.calls[0]
  const text = parts.join('')
  expect(parts.length).toBeGreaterThan(5)
  expect(JSON.parse(text)).toEqual(event)
  // The service counts the whole, too.
  expect(values).toBe(countValues(Buffer.from(text)) - 1)
})

test('a text in parts of any length is compressed as a whole, and split within no character', async () => {
  const parts = ['{', '😀'.repeat(60_001), ',', 'é', ...Array.from({ length: 3000 }, () => TEXT.repeat(2)), '}']
  const encode = jest.fn()
  const body = await encodeInSlices(parts, encode)
  expect(encode).not.toHaveBeenCalled()
  expect(gunzipSync(body as Uint8Array).toString()).toBe(parts.join(''))
  // A short one is left to the browser.
  await encodeInSlices(['a', 'b'], encode)
  expect(encode).toHaveBeenCalledWith('ab')
})

import { createBatches } from '../../../src/endpoints/materialization/memory/batches.ts'

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

test('requests that come during another of their key are sent together, and each gets its own value', async () => {
  const batches = createBatches<number, string>()
  const first = gate()
  const sent: (readonly number[])[] = []
  const send = async (items: readonly number[]) => {
    sent.push(items)
    if (sent.length === 1) await first.opened
    return items.map((item) => `value ${item}`)
  }
  const one = batches.add('a', 1, send)
  const more = [2, 3, 4].map((item) => batches.add('a', item, send))
  const other = batches.add('b', 5, send)
  expect(await other).toBe('value 5')
  expect(sent).toEqual([[1], [5]])
  first.open()
  expect(await Promise.all([one, ...more])).toEqual(['value 1', 'value 2', 'value 3', 'value 4'])
  expect(sent).toEqual([[1], [5], [2, 3, 4]])
  expect(await batches.add('a', 6, send)).toBe('value 6')
  expect(sent.at(-1)).toEqual([6])
})

test('requests that waited for one that failed are sent', async () => {
  const batches = createBatches<number, number>()
  const first = gate()
  const send = async (items: readonly number[]) => {
    if (!items.includes(1)) return items
    await first.opened
    throw new Error('failed')
  }
  const failing = batches.add('a', 1, send)
  const next = batches.add('a', 2, send)
  first.open()
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe(2)
})

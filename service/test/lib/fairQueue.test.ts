import { createFairQueue } from '../../src/lib/fairQueue.ts'

test('the fair queue serves clients in turn regardless of the number of their items', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item)
  queue.add('b', 'b1')
  queue.add('c', 'c1')
  expect(Array.from({ length: 6 }, () => queue.take())).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined])
})

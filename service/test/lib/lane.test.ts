import { createLane } from '../../src/lib/lane.ts'

/** Creates work that ends when the test ends it. */
const createWork = () => {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    of: (name: string) => () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    },
    async end(name: string) {
      ends.get(name)!()
      await new Promise(setImmediate)
    },
  }
}

test('a lane limits concurrent work and serves clients in turn', async () => {
  const lane = createLane(2)
  const work = createWork()
  const all = [...['a1', 'a2', 'a3', 'a4'].map((name) => lane.run('a', work.of(name))), lane.run('b', work.of('b1'))]
  expect(work.started).toEqual(['a1', 'a2'])
  await work.end('a1')
  await work.end('a2')
  expect(work.started).toEqual(['a1', 'a2', 'a3', 'b1'])
  await work.end('b1')
  await work.end('a3')
  await work.end('a4')
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1'])
})

test('failed work frees its slot in a lane', async () => {
  const lane = createLane(1)
  await expect(lane.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await lane.run('a', () => Promise.resolve(1))).toBe(1)
})

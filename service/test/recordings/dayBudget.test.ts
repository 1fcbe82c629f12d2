import { createDayBudget } from '../../src/recordings/dayBudget.ts'

const NOON = Date.parse('2026-11-26T12:00:00Z')

/** A budget over a store with `stored` bytes of today. `reads` counts its queries. */
const start = (stored: number) => {
  let clock = NOON
  const store = { stored, reads: 0 }
  const budget = createDayBudget(
    async () => {
      store.reads += 1
      return [[store.stored]]
    },
    () => clock,
  )
  return { budget, store, wait: (ms: number) => (clock += ms) }
}

test('concurrent deliveries count against one budget and share one query', async () => {
  const { budget, store } = start(0)
  expect(await Promise.all([4, 4, 4].map((bytes) => budget.take(1, bytes, 10)))).toEqual([true, true, false])
  expect(store.reads).toBe(1)
  expect(await budget.take(1, 2, 10)).toBe(true)
  expect(await budget.take(1, 1, 10)).toBe(false)
})

test('concurrent deliveries also count while the stored bytes are read again', async () => {
  const { budget, store, wait } = start(0)
  expect(await budget.take(1, 4, 10)).toBe(true)
  wait(300_000)
  expect(await Promise.all([4, 4].map((bytes) => budget.take(1, bytes, 10)))).toEqual([true, false])
  expect(store.reads).toBe(2)
})

test('what other processes have stored counts after five minutes, and a new day starts with what it has stored', async () => {
  const { budget, store, wait } = start(3)
  expect(await budget.take(1, 8, 10)).toBe(false)
  expect(await budget.take(1, 7, 10)).toBe(true)
  wait(300_000)
  store.stored = 5
  expect(await budget.take(1, 1, 10)).toBe(false)
  wait(12 * 3_600_000)
  store.stored = 0
  expect(await budget.take(1, 10, 10)).toBe(true)
})

test('the budgets of projects are separate', async () => {
  const { budget } = start(0)
  expect(await Promise.all([1, 2].map((project) => budget.take(project, 10, 10)))).toEqual([true, true])
})

test('a failed query fails the deliveries that wait for it, and the next one reads again', async () => {
  let isDown = true
  const budget = createDayBudget(async () => {
    if (isDown) throw new Error('The store is down')
    return [[0]]
  })
  const both = await Promise.allSettled([budget.take(1, 1, 10), budget.take(1, 1, 10)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isDown = false
  expect(await budget.take(1, 1, 10)).toBe(true)
})

import { createTimeSlices } from '../../src/lib/timeSlices.ts'

test('a step within its time slice does not wait', () => {
  const slices = createTimeSlices(1_000)
  expect(slices.next('a')).toBeUndefined()
  expect(slices.next('a')).toBeUndefined()
})

test('steps beyond the time slice wait for later turns of the event loop and alternate between clients', async () => {
  const slices = createTimeSlices(0)
  const order: string[] = []
  const step = async (client: string) => {
    await slices.next(client)
    order.push(client)
  }
  expect(slices.next('first')).toBeUndefined()
  const steps = [step('a'), step('a'), step('a'), step('b')]
  await Promise.resolve()
  expect(order).toEqual([])
  await Promise.all(steps)
  expect(order).toEqual(['a', 'b', 'a', 'a'])
})

test('timers run between the time slices of a long computation', async () => {
  const slices = createTimeSlices(2)
  let ticks = 0
  const ticking = setInterval(() => (ticks += 1), 1)
  // Only stops a computation that never lets timers run.
  const endsAt = performance.now() + 60_000
  while (ticks <= 2 && performance.now() < endsAt) {
    const turn = slices.next('a')
    if (turn) await turn
  }
  clearInterval(ticking)
  expect(ticks).toBeGreaterThan(2)
})

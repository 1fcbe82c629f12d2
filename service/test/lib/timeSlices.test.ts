import { createTimeSlices } from '../../src/lib/timeSlices.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

// The time slice that a test started ends within two turns.
afterEach(async () => {
  for (let turns = 0; turns < 3; turns += 1) await turn()
})

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

test('computations of all kinds share the time slice of a turn, and the kinds alternate', async () => {
  const [one, other] = [createTimeSlices(0), createTimeSlices(0)]
  const order: string[] = []
  const step = async (slices: typeof one, name: string) => {
    await slices.next(name)
    order.push(name)
  }
  expect(one.next('a')).toBeUndefined()
  const steps = [step(one, 'a'), step(one, 'b'), step(other, 'c')]
  await Promise.resolve()
  expect(order).toEqual([])
  await Promise.all(steps)
  expect(order).toEqual(['a', 'c', 'b'])
})

test('the second time slice of a computation that I/O started is in a later turn', async () => {
  const slices = createTimeSlices(0)
  const order: string[] = []
  // Timers run before the immediates of the same turn.
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(slices.next('a')).toBeUndefined()
  const step = slices.next('a')!.then(() => order.push('step'))
  setImmediate(() => order.push('end of the turn'))
  await step
  expect(order).toEqual(['end of the turn', 'step'])
})

import { createPlans } from '../../src/plan/plans.ts'

/** Settings in memory, and how often they were read. */
const memory = () => {
  const values = new Map<number, unknown>()
  const reads: number[] = []
  return {
    reads,
    settings: {
      get: async (projectId: number) => (reads.push(projectId), values.get(projectId)),
      set: async (projectId: number, _: string, value: unknown) => void values.set(projectId, value),
    },
  }
}

test('a plan is read again after five seconds, and compiled again only if it changed', async () => {
  let time = 0
  const { reads, settings } = memory()
  const plans = createPlans({ settings }, () => time)
  await plans.set(1, 'mark', { events: { order: {} } })
  reads.length = 0
  const first = await plans.active(1)
  expect(first!.find('ordr', {})).toEqual(['is not in the plan'])
  expect([await plans.active(1), reads]).toEqual([first, [1]])
  time = 6_000
  expect(await plans.active(1)).toBe(first)
  expect(reads).toEqual([1, 1])
  await plans.set(1, 'off', { events: { order: {} } })
  expect(await plans.active(1)).toBeUndefined()
})

test('compiled plans are bounded by their size, whatever number of projects has one', async () => {
  const { reads, settings } = memory()
  const plans = createPlans({ settings }, () => 0)
  const large = { events: { order: { description: 'x'.repeat(190_000) } } }
  for (let projectId = 1; projectId <= 15; projectId += 1) {
    await plans.set(projectId, 'mark', large)
    await plans.active(projectId)
  }
  reads.length = 0
  await plans.active(15)
  expect(reads).toEqual([])
  await plans.active(1)
  expect(reads).toEqual([1])
})

test('a failed read is repeated', async () => {
  const { settings } = memory()
  let failures = 1
  const get = (projectId: number) => (failures-- > 0 ? Promise.reject(new Error('busy')) : settings.get(projectId))
  const plans = createPlans({ settings: { ...settings, get } }, () => 0)
  await expect(plans.active(1)).rejects.toThrow('busy')
  expect(await plans.active(1)).toBeUndefined()
})

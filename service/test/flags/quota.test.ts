import { createFlagQuota } from '../../src/flags/quota.ts'

test('the flag quota counts requests per project and resets each minute', () => {
  let clock = 1_000_000
  const has = createFlagQuota(2, () => clock)
  expect([has(1), has(1), has(1), has(2)]).toEqual([true, true, false, true])
  clock += 59_999
  expect(has(1)).toBe(false)
  clock += 1
  expect([has(1), has(1), has(1)]).toEqual([true, true, false])
})

test('the flag quota without a limit never runs out', () => {
  const has = createFlagQuota(0)
  expect(Array.from({ length: 1_000 }, () => has(1)).every(Boolean)).toBe(true)
})

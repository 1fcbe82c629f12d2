import { createLastSeenCache } from '../../src/persons/lastSeenCache.ts'

const at = (timestamp: number, distinctId = 'ann', projectId = 1) => ({ projectId, distinctId, timestamp })

test('the last-seen cache writes a person again only for an earlier time', () => {
  const lastSeen = createLastSeenCache()
  expect(lastSeen.has(at(5))).toBe(false)
  lastSeen.add(at(5))
  lastSeen.add(at(9))
  expect([4, 5, 9].map((time) => lastSeen.has(at(time)))).toEqual([false, true, true])
  lastSeen.add(at(3))
  expect(lastSeen.has(at(4))).toBe(true)
})

test('the last-seen cache separates projects and distinct IDs', () => {
  const lastSeen = createLastSeenCache()
  lastSeen.add(at(1))
  expect([lastSeen.has(at(2, 'ben')), lastSeen.has(at(2, 'ann', 2))]).toEqual([false, false])
})

test('the last-seen cache clears one project without affecting others', () => {
  const lastSeen = createLastSeenCache()
  for (const project of [1, 2]) lastSeen.add(at(1, 'ann', project))
  lastSeen.forget(1)
  lastSeen.forget(3)
  expect([lastSeen.has(at(1)), lastSeen.has(at(1, 'ann', 2))]).toEqual([false, true])
})

test('the last-seen cache is bounded across projects and keeps working when full', () => {
  const most = 10
  const lastSeen = createLastSeenCache(most)
  const known = () => Array.from({ length: 100 }, (_, n) => lastSeen.has(at(1, `${n}`, n % 3))).filter(Boolean).length
  for (let n = 0; n < 100; n += 1) {
    lastSeen.add(at(1, `${n}`, n % 3))
    if (n % 17 === 0) lastSeen.forget(1)
    expect(known()).toBeLessThanOrEqual(most)
  }
  expect(known()).toBeGreaterThan(0)
})

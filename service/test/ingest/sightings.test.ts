import { createSightings } from '../../src/ingest/sightings.ts'

const at = (timestamp: number, distinctId = 'ann', projectId = 1) => ({ projectId, distinctId, timestamp })

test('whoever was seen need not be said to be seen later, but to be seen earlier', () => {
  const sightings = createSightings()
  expect(sightings.has(at(5))).toBe(false)
  sightings.add(at(5))
  sightings.add(at(9))
  expect([4, 5, 9].map((time) => sightings.has(at(time)))).toEqual([false, true, true])
  sightings.add(at(3))
  expect(sightings.has(at(4))).toBe(true)
})

test('an id of another project, or another id, is somebody else', () => {
  const sightings = createSightings()
  sightings.add(at(1))
  expect([sightings.has(at(2, 'ben')), sightings.has(at(2, 'ann', 2))]).toEqual([false, false])
})

test('what a project forgets is forgotten, and others know theirs', () => {
  const sightings = createSightings()
  for (const project of [1, 2]) sightings.add(at(1, 'ann', project))
  sightings.forget(1)
  sightings.forget(3)
  expect([sightings.has(at(1)), sightings.has(at(1, 'ann', 2))]).toEqual([false, true])
})

test('it never knows more than it may, in however many projects, and goes on', () => {
  const most = 10
  const sightings = createSightings(most)
  const known = () => Array.from({ length: 100 }, (_, n) => sightings.has(at(1, `${n}`, n % 3))).filter(Boolean).length
  for (let n = 0; n < 100; n += 1) {
    sightings.add(at(1, `${n}`, n % 3))
    if (n % 17 === 0) sightings.forget(1)
    expect(known()).toBeLessThanOrEqual(most)
  }
  expect(known()).toBeGreaterThan(0)
})

import { isUuid, uuidv7 } from '../../src/lib/uuid'

test('an id is a UUIDv7 with its creation time', () => {
  const now = Date.now() + 1000
  const id = uuidv7(now)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(now)
})

test('ids are unique and ordered within a millisecond and when the clock goes back', () => {
  const now = Date.now() + 5000
  const ids = Array.from({ length: 10_000 }, (_, index) => uuidv7(now - (index % 7)))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})

test('ids are UUIDs on a page whose clock never worked', () => {
  jest.isolateModules(() => {
    const { uuidv7: untouched } = jest.requireActual<{ uuidv7: typeof uuidv7 }>('../../src/lib/uuid')
    const ids = [untouched(NaN), untouched(NaN)]
    expect(ids.map(isUuid)).toEqual([true, true])
    expect(ids[0]! < ids[1]!).toBe(true)
  })
})

test.each([
  ['0192f1c0-0000-7000-8000-000000000000', true],
  ['0192F1C0-0000-4000-8000-000000000000', true],
  ['0192f1c0', false],
  ['', false],
  [42, false],
])('isUuid accepts %j: %s', (text, expected) => expect(isUuid(text)).toBe(expected))

import { createPersons } from '../../src/persons/lookup.ts'
import type { ReadLimits, Result } from '../../src/storage/storage.ts'

const PERSON = '00000000-0000-4000-8000-000000000001'
const signal = new AbortController().signal

test.each<[string, (persons: ReturnType<typeof createPersons>) => Promise<unknown>]>([
  ['list', (persons) => persons.list(1, { limit: 10, offset: 0 }, signal)],
  ['list by distinct id', (persons) => persons.list(1, { limit: 10, offset: 0, distinctId: 'a' }, signal)],
  ['get', (persons) => persons.get(1, PERSON, signal)],
  ['distinctIds', (persons) => persons.distinctIds(1, PERSON, signal)],
  ['mainId', (persons) => persons.mainId(1, PERSON, signal)],
  ['merges', (persons) => persons.merges(1, PERSON, 10, signal)],
])('each query of %s has a bound on bytes and the signal of its caller', async (_, read) => {
  const seen: { readonly limits: ReadLimits; readonly signal: AbortSignal }[] = []
  const run = async (_statement: unknown, limits: ReadLimits, given: AbortSignal): Promise<Result> => {
    seen.push({ limits, signal: given })
    return { columns: [], rows: seen.length === 1 ? [['a', 'a']] : [], textLength: 0 }
  }
  await read(createPersons({ run })).catch(() => {})
  expect(seen.length).toBeGreaterThan(1)
  for (const each of seen) expect([each.limits.maxBytes > 0, each.signal === signal]).toEqual([true, true])
})

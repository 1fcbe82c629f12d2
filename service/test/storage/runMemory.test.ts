import type { SeeingRun } from '../../src/storage/clickhouseSettings.ts'
import { createRunMemory } from '../../src/storage/runMemory.ts'
import type { ReadLimits } from '../../src/storage/storage.ts'

const LIMITS: SeeingRun<ReadLimits> = {
  projectId: 1,
  maxSeconds: 10,
  maxMemoryBytes: 1_000,
  maxRows: 10,
  maxBytes: 100,
  seen: {},
}
const STATEMENT = { text: 'SELECT 1' }

const createMemory = () => {
  const made: ReadLimits[] = []
  const remembered = createRunMemory((_statement, limits) => {
    made.push(limits)
    return { project: limits.projectId }
  })
  return { made, remembered }
}

test('settings are made once for a statement and its limits, whatever the id of the run', () => {
  const { made, remembered } = createMemory()
  const settings = remembered(STATEMENT, { ...LIMITS, idPrefix: 'a-' }).settings()
  expect(remembered({ text: 'SELECT 1', params: { p0: 1 } }, { ...LIMITS, idPrefix: 'b-' }).settings()).toBe(settings)
  expect(made).toHaveLength(1)
  for (const [text, changes] of [
    ['SELECT 2', {}],
    ['SELECT 1', { projectId: 2 }],
    ['SELECT 1', { tables: ['other'] }],
    ['SELECT 1', { maxBytes: 10 }],
    ['SELECT 1', { seen: { events: 'timestamp >= 1' } }],
  ] as const)
    expect(remembered({ text }, { ...LIMITS, ...changes }).settings()).not.toBe(settings)
  expect(made).toHaveLength(6)
})

test('a statement that read little runs in one thread, until it reads more', () => {
  const { remembered } = createMemory()
  const { settings, note } = remembered(STATEMENT, LIMITS)
  expect(settings()).toEqual({ project: 1 })
  note({ bytes: 100_000, ms: 2 })
  expect(remembered(STATEMENT, LIMITS).settings()).toEqual({ project: 1, max_threads: 1 })
  note({ bytes: 100_000, ms: 200 })
  expect(settings()).toEqual({ project: 1 })
  note({ bytes: 100_000_000, ms: 2 })
  expect(settings()).toEqual({ project: 1 })
})

test('what is remembered is bounded', () => {
  const { made, remembered } = createMemory()
  for (let at = 0; at < 30; at += 1) remembered({ text: `${at} ${'x'.repeat(100_000)}` }, LIMITS)
  remembered({ text: `0 ${'x'.repeat(100_000)}` }, LIMITS)
  expect(made).toHaveLength(31)
})

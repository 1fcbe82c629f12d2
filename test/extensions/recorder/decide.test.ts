/** @jest-environment node */
import { decide, type Facts, isInSample, type Status } from '../../../src/extensions/recorder/decide'

const FACTS: Facts = {
  hasFailed: false,
  hasSettings: true,
  isEnabled: true,
  isBlocked: false,
  triggers: ['off', 'off', 'off'],
  match: 'any',
}

const CASES: [name: string, facts: Partial<Facts>, status: Status][] = [
  ['records all sessions without sample and triggers', {}, 'active'],
  ['reports an error of rrweb before anything else', { hasFailed: true, isEnabled: false }, 'rrweb_error'],
  ['waits for the settings', { hasSettings: false }, 'awaiting_config'],
  ['misses the settings when their request failed', { hasSettings: false, isUnreachable: true }, 'missing_config'],
  ['keeps the settings it has when a later request failed', { isUnreachable: true }, 'active'],
  ['is disabled by the project', { isEnabled: false, isSampled: true }, 'disabled'],
  ['pauses on a blocked URL', { isBlocked: true, isSampled: true }, 'paused'],
  ['any: a sampled session needs no trigger', { isSampled: true, triggers: ['pending'] }, 'sampled'],
  ['any: a trigger records a session that is not sampled', { isSampled: false, triggers: ['activated'] }, 'active'],
  ['any: one activated trigger is enough', { triggers: ['activated', 'pending'] }, 'active'],
  ['any: a pending trigger buffers', { isSampled: false, triggers: ['pending'] }, 'buffering'],
  ['any: a session that is not sampled is disabled', { isSampled: false }, 'disabled'],
  ['all: one pending trigger buffers', { match: 'all', triggers: ['activated', 'pending'] }, 'buffering'],
  [
    'all: a session that is not sampled is disabled',
    { match: 'all', isSampled: false, triggers: ['activated'] },
    'disabled',
  ],
  ['all: sampled with all triggers', { match: 'all', isSampled: true, triggers: ['activated'] }, 'sampled'],
  ['all: active with all triggers', { match: 'all', triggers: ['activated', 'off'] }, 'active'],
  [
    'groups: an activated and sampled group records',
    { groups: [{ trigger: 'activated', isSampled: true }] },
    'sampled',
  ],
  ['groups: a pending group buffers', { groups: [{ trigger: 'pending', isSampled: true }] }, 'buffering'],
  [
    'groups: replace sample and triggers',
    { isSampled: true, triggers: ['activated'], groups: [{ trigger: 'activated', isSampled: false }] },
    'disabled',
  ],
]

test.each(CASES)('recording decision: %s', (_, facts, status) => {
  const [decided, reason] = decide({ ...FACTS, ...facts })
  expect(decided).toBe(status)
  // One that is recorded has no reason for not being recorded. rrweb says itself why it failed.
  expect(reason === undefined).toBe(/active|sampled|error/.test(status))
})

test('isInSample selects the share of sessions that the rate sets', () => {
  const ids = Array.from(
    { length: 10_000 },
    (_, index) => `0190a1b2-0000-7000-8000-${String(index * 7919).padStart(12, '0')}`,
  )
  const share = ids.filter((id) => isInSample(id, 0.3)).length / ids.length
  expect(share).toBeGreaterThan(0.27)
  expect(share).toBeLessThan(0.33)
  expect(ids.some((id) => isInSample(id, 0))).toBe(false)
  expect(ids.every((id) => isInSample(id, 1))).toBe(true)
})

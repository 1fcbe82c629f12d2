import { createGate } from '../../src/endpoints/limits.ts'
import { ApiError } from '../../src/lib/apiError.ts'

const allowance = { seconds: 1, memoryBytes: 1, rows: 1, streamRows: 1, perMinute: 3, perHour: 5, atOnce: 2 }

let time: number
const setUp = () => {
  time = 0
  return createGate(() => time)
}

const apiErrorOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, seconds: error.details.retryAfterSeconds }
    throw error
  }
  return undefined
}

test('run limits apply to a key per minute and report when to retry', () => {
  const gate = setUp()
  for (let run = 0; run < 3; run += 1) gate.enter('key', allowance)()
  time = 20_500
  expect(apiErrorOf(() => gate.enter('key', allowance))).toEqual({ code: 'rate_limited', seconds: 40 })
  expect(apiErrorOf(() => gate.enter('another', allowance))).toBeUndefined()
  time = 60_000
  expect(apiErrorOf(() => gate.enter('key', allowance))).toBeUndefined()
})

test('run limits apply to a key per hour', () => {
  const gate = setUp()
  for (let run = 0; run < 5; run += 1) {
    time = run * 60_000
    gate.enter('key', allowance)()
  }
  time = 300_000
  expect(apiErrorOf(() => gate.enter('key', allowance))).toEqual({ code: 'rate_limited', seconds: 3_300 })
})

test('run limits count each concurrent run once until it ends', () => {
  const gate = setUp()
  const leave = gate.enter('key', allowance)
  gate.enter('key', allowance)
  expect(apiErrorOf(() => gate.enter('key', allowance))).toEqual({ code: 'too_many_at_once', seconds: 1 })
  leave()
  leave()
  gate.enter('key', allowance)
  expect(apiErrorOf(() => gate.enter('key', { ...allowance, perMinute: 9 }))).toEqual({
    code: 'too_many_at_once',
    seconds: 1,
  })
})

test('run limits forget idle keys, but not active runs or runs of the current hour', () => {
  const gate = setUp()
  gate.enter('long', { ...allowance, atOnce: 1 })
  gate.enter('often', { ...allowance, perHour: 1 })()
  time = 3_599_000
  gate.enter('another', allowance)()
  expect(apiErrorOf(() => gate.enter('often', { ...allowance, perHour: 1 }))).toEqual({
    code: 'rate_limited',
    seconds: 1,
  })
  time = 7_200_000
  gate.enter('another', allowance)()
  expect(apiErrorOf(() => gate.enter('long', { ...allowance, atOnce: 1 }))).toEqual({
    code: 'too_many_at_once',
    seconds: 1,
  })
})

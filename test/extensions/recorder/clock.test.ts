/** @jest-environment node */
import { clock, resetClock } from '../../../src/extensions/recorder/clock'

const START = 1_800_000_000_000
let [date, steady] = [START, 0]
/** Lets time pass: `set`: how far the system's clock is set meanwhile; `slept`: for how long the computer slept. */
const pass = (ms: number, { set = 0, slept = 0 } = {}) => {
  date += ms + set + slept
  steady += ms
}

beforeEach(() => {
  ;[date, steady] = [START, 0]
  jest.spyOn(Date, 'now').mockImplementation(() => date)
  jest.spyOn(performance, 'now').mockImplementation(() => steady)
  resetClock()
})
afterEach(() => jest.restoreAllMocks())

test('the clock of a recording goes on when that of the system is set back', () => {
  expect(clock()).toBe(START)
  pass(1000, { set: -3_600_000 })
  expect(clock()).toBe(START + 1000)
  pass(500)
  expect(clock()).toBe(START + 1500)
  // Set right again, the hour is a gap like one in which the computer slept.
  pass(500, { set: 3_600_000 })
  expect(clock()).toBe(START + 3_602_000)
  // A new session begins with the time of its events.
  pass(0, { set: -7_200_000 })
  resetClock()
  expect(clock()).toBe(date)
})

test('the clock of a recording counts the time in which the computer slept', () => {
  clock()
  pass(10, { slept: 600_000 })
  expect(clock()).toBe(START + 600_010)
})

test('the clock of a recording never goes back, not even a little', () => {
  clock()
  pass(10, { set: -400 })
  expect(clock()).toBe(START)
  pass(500)
  expect(clock()).toBe(START + 110)
})

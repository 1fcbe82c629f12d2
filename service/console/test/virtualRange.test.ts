import { rangeBetween, topsOf } from '../src/lib/virtualRange.ts'

const tops = topsOf([10, 20, 10, 20])

test('returns the rows between two heights, and the total heights of the rows before and after them', () => {
  expect(rangeBetween(tops, 0, 60)).toEqual({ from: 0, to: 4, before: 0, after: 0 })
  expect(rangeBetween(tops, 12, 35)).toEqual({ from: 1, to: 3, before: 10, after: 20 })
  expect(rangeBetween(tops, 30, 30)).toEqual({ from: 2, to: 3, before: 30, after: 20 })
})

test('a range beyond the start or end of a list has the row at that end', () => {
  expect(rangeBetween(tops, -500, -100)).toEqual({ from: 0, to: 1, before: 0, after: 50 })
  expect(rangeBetween(tops, 500, 900)).toEqual({ from: 3, to: 4, before: 40, after: 0 })
  expect(rangeBetween(topsOf([]), 0, 100)).toEqual({ from: 0, to: 0, before: 0, after: 0 })
})

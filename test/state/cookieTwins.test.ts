/**
 * @jest-environment jsdom
 * @jest-environment-options {"url": "https://shop.example.co.uk/"}
 */
import { visitAtRandom } from '../support/cookieTwins'
import { randomRuns } from '../support/randomRuns'

test('on a secure page, several cookies of one name never overrule a refusal, undo a decision or bring a visitor back', () => {
  jest.useFakeTimers()
  jest.spyOn(console, 'warn').mockImplementation(() => {})
  const seeds = Array.from({ length: randomRuns(60) }, (_, index) => index + 1)
  expect(seeds.flatMap((seed) => visitAtRandom(seed)).slice(0, 5)).toEqual([])
})

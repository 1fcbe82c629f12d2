import {
  busiestElement,
  createAttributeBucket,
  type Load,
  MAX_PER_MINUTE,
  MAX_PER_SESSION,
  NO_LOAD,
  nextLoad,
} from '../../../src/extensions/recorder/budget'

/** Runs seconds with these numbers of changes. Returns the step after each. */
const steps = (changes: readonly number[], canBlock = false, from: Load = NO_LOAD) => {
  let load = from
  return changes.map((each) => (load = nextLoad(load, { changes: each, minute: 0, session: 0, canBlock })).step)
}
const seconds = (count: number, changes: number) => Array<number>(count).fill(changes)

test('a quiet page is recorded without limits', () => {
  expect(new Set(steps(seconds(60, 900)))).toEqual(new Set(['none']))
})

test('a busy page is coalesced, then its busiest part is left out, then it pauses', () => {
  expect(steps(seconds(7, 5000), true)).toEqual([
    'coalesce',
    'coalesce',
    'coalesce',
    'block',
    'block',
    'block',
    'pause',
  ])
})

test('a page that is busy everywhere pauses without blocking a part', () => {
  expect(steps(seconds(4, 5000)).at(-1)).toBe('pause')
})

test('a page that becomes quiet is recorded without limits again', () => {
  expect(steps([5000, ...seconds(10, 10)]).at(-1)).toBe('none')
})

test('recording stops after the third pause', () => {
  const pauses = steps(seconds(40, 5000)).filter((each) => each === 'pause')
  expect(pauses).toHaveLength(3)
  expect(steps(seconds(40, 5000)).at(-1)).toBe('stop')
})

test('the sizes of a recording per minute and per session are limited', () => {
  const load = { changes: 0, canBlock: false }
  expect(nextLoad(NO_LOAD, { ...load, minute: MAX_PER_MINUTE + 1, session: 0 }).step).toBe('pause')
  expect(nextLoad(NO_LOAD, { ...load, minute: 0, session: MAX_PER_SESSION + 1 }).step).toBe('stop')
})

test('busiestElement returns the smallest element that contains most changes, unless it is the body', () => {
  document.body.innerHTML = '<main><ul id="busy"><li></li><li></li></ul></main><p></p>'
  const items = [...document.querySelectorAll('li')]
  expect(busiestElement([...items, ...items, document.querySelector('p')!])?.id).toBe('busy')
  expect(busiestElement([items[0]!, document.querySelector('p')!])).toBeUndefined()
  expect(busiestElement([])).toBeUndefined()
})

test('recorded attribute changes of one node are limited to 100 at once and 10 more each second', () => {
  let now = 0
  const bucket = createAttributeBucket(() => now)
  const taken = (count: number) => Array.from({ length: count }, () => bucket.takes(1)).filter(Boolean).length
  expect(taken(150)).toBe(100)
  now = 1000
  expect(taken(50)).toBe(10)
  expect(bucket.takes(2)).toBe(true)
})

import type { Entry } from '../../src/lib/entry'
import { createOutbox, type OutboxInputs } from '../../src/delivery/outbox'

// jsdom has local storage but neither Web Locks nor IndexedDB, like a page in an insecure context, which uses only the
// journal. e2e/scenarios/durability.spec.ts and faultMatrix.spec.ts cover the rest.

const NAME = 'trailmark t https://h.example'

const entry = (name: string, size = 0): Entry => ({
  event: name,
  uuid: `u-${name}`,
  at: 1,
  text: JSON.stringify({ event: name, filler: 'x'.repeat(size) }),
})
let mayKeep: boolean
const open = (onDropped: OutboxInputs['onDropped'] = () => {}) =>
  createOutbox(
    {
      name: NAME,
      config: { outbox_max_bytes: 10_000_000 },
      mayKeep: () => mayKeep,
      journals: () => localStorage,
      onOrphaned: () => {},
      onDropped,
    },
    () => Promise.reject(new Error('jsdom has no databases')),
  )
/** Captures the entries on a page and leaves it. */
const leaveBehind = (...entries: Entry[]) => {
  const outbox = open()
  entries.forEach(outbox.keep)
  outbox.onPageHide()
}
const journals = () => Object.keys(localStorage).filter((each) => each.startsWith(`${NAME}/`))
const namesOf = (entries: Entry[]) => entries.map(({ event }) => event)

beforeEach(() => {
  jest.useFakeTimers()
  localStorage.clear()
  mayKeep = true
})

test('the next page loads the events from the journal of a page once', async () => {
  leaveBehind(entry('a'), entry('b'))
  leaveBehind(entry('c'))
  const next = open()
  expect(namesOf(await next.claimOrphans()).sort()).toEqual(['a', 'b', 'c'])
  expect(await next.claimOrphans()).toEqual([])
})

test('the outbox removes a journal once all events in it are acknowledged, and not before', async () => {
  leaveBehind(entry('a'), entry('b'))
  const next = open()
  const [a, b] = await next.claimOrphans()
  next.forget([a!])
  expect(journals()).toHaveLength(1)
  next.forget([b!])
  expect(journals()).toEqual([])
})

test('the next page loads a journal that was adopted but not acknowledged', async () => {
  leaveBehind(entry('a'))
  const next = open()
  await next.claimOrphans()
  next.onPageHide()
  expect(namesOf(await open().claimOrphans())).toEqual(['a'])
})

test('a page that is restored from the back/forward cache loads its events again', async () => {
  leaveBehind(entry('a'))
  const page = open()
  await page.claimOrphans()
  page.onPageHide()
  expect(namesOf(await page.claimOrphans())).toEqual(['a'])
})

test('the outbox writes at most 1,000,000 characters of events to the journal', async () => {
  leaveBehind(entry('a', 600_000), entry('b', 600_000))
  expect(namesOf(await open().claimOrphans())).toEqual(['a'])
})

test('the outbox writes no journal when storing is not allowed', () => {
  mayKeep = false
  leaveBehind(entry('a'))
  expect(journals()).toEqual([])
})

test('the outbox writes no journal for events captured before an opt-out', () => {
  const outbox = open()
  outbox.keep(entry('a'))
  mayKeep = false
  outbox.onPageHide()
  expect(journals()).toEqual([])
})

test('the outbox removes the journals of all pages once storing is not allowed', () => {
  leaveBehind(entry('a'))
  leaveBehind(entry('b'))
  localStorage.setItem('theirs', 'stays')
  mayKeep = false
  open().align()
  expect(Object.keys(localStorage)).toEqual(['theirs'])
})

test.each(['{', 'null', '[null, {}, {"uuid":"u"}]', '"text"', '7'])(
  'the outbox ignores a journal that contains %s',
  async (text) => {
    localStorage.setItem(`${NAME}/other`, text)
    leaveBehind(entry('a'))
    expect(namesOf(await open().claimOrphans())).toEqual(['a'])
  },
)

test('the next page counts what a left page gave up, once, and then the left page has lost it', async () => {
  const page = open()
  const [takeBack, takeBackLater] = [[entry('a'), entry('a')], [entry('b')]].map((lost) => page.giveUp(lost)!)
  expect(takeBackLater!()).toBe(true)
  const counted: unknown[] = []
  const next = open((event, reason) => counted.push([event.event, reason]))
  expect(await next.claimOrphans()).toEqual([])
  expect(counted).toEqual([
    ['a', 'page_left'],
    ['a', 'page_left'],
  ])
  expect([takeBack!(), journals()]).toEqual([false, []])
})

test('a page that may store nothing leaves no count', () => {
  mayKeep = false
  expect(open().giveUp([entry('a')])).toBeUndefined()
  expect(journals()).toEqual([])
})

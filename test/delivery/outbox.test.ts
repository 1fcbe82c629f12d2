import type { Entry } from '../../src/delivery/entry'
import { createOutbox } from '../../src/delivery/outbox'

// jsdom has local storage, and neither Web Locks nor IndexedDB: the page of a site that is not secure, which has the
// journal alone. e2e/scenarios/durability.spec.ts and faultMatrix.spec.ts have the rest.

const NAME = 'trailmark t https://h.example'

const entry = (name: string, size = 0): Entry => ({
  event: name,
  uuid: `u-${name}`,
  at: 1,
  text: JSON.stringify({ event: name, filler: 'x'.repeat(size) }),
})
let mayKeep: boolean
const open = () =>
  createOutbox({
    name: NAME,
    config: { outbox_max_bytes: 10_000_000 },
    mayKeep: () => mayKeep,
    journals: () => localStorage,
    onOrphaned: () => {},
    onDropped: () => {},
  })
/** A page captures these and is left. */
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

test('the next page finds what a page has left in its journal, once', async () => {
  leaveBehind(entry('a'), entry('b'))
  leaveBehind(entry('c'))
  const next = open()
  expect(namesOf(await next.claimOrphans()).sort()).toEqual(['a', 'b', 'c'])
  expect(await next.claimOrphans()).toEqual([])
})

test('removes a journal when all events in it are acknowledged, and not before', async () => {
  leaveBehind(entry('a'), entry('b'))
  const next = open()
  const [a, b] = await next.claimOrphans()
  next.forget([a!])
  expect(journals()).toHaveLength(1)
  next.forget([b!])
  expect(journals()).toEqual([])
})

test('a journal that was adopted and not acknowledged is found by the page after', async () => {
  leaveBehind(entry('a'))
  const next = open()
  await next.claimOrphans()
  next.onPageHide()
  expect(namesOf(await open().claimOrphans())).toEqual(['a'])
})

test('writes at most 1,000,000 characters of events', async () => {
  leaveBehind(entry('a', 600_000), entry('b', 600_000))
  expect(namesOf(await open().claimOrphans())).toEqual(['a'])
})

test('writes no journal where nothing may be stored', () => {
  mayKeep = false
  leaveBehind(entry('a'))
  expect(journals()).toEqual([])
})

test('writes no journal of events that were captured before the visitor refused', () => {
  const outbox = open()
  outbox.keep(entry('a'))
  mayKeep = false
  outbox.onPageHide()
  expect(journals()).toEqual([])
})

test('removes the journals of all pages once nothing may be stored', () => {
  leaveBehind(entry('a'))
  leaveBehind(entry('b'))
  localStorage.setItem('theirs', 'stays')
  mayKeep = false
  open().align()
  expect(Object.keys(localStorage)).toEqual(['theirs'])
})

test.each(['{', 'null', '[null, {}, {"uuid":"u"}]', '"text"', '7'])('ignores a journal that holds %s', async (text) => {
  localStorage.setItem(`${NAME}/other`, text)
  leaveBehind(entry('a'))
  expect(namesOf(await open().claimOrphans())).toEqual(['a'])
})

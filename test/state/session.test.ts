import { createSession, sessionAt } from '../../src/state/session'
import { textBackend } from '../../src/state/backends/textBackend'
import { storageOf } from '../../src/browser/storage'
import { createStore } from '../../src/state/store'

const IDLE = 1_800_000
const DAY = 86_400_000
const LAST = { id: 'a', startedAt: 0, lastActiveAt: 0 }

test.each([
  ['continues within the idle limit', IDLE, LAST, 'a'],
  ['ends after the idle limit', IDLE + 1, LAST, 'new'],
  ['continues for a day', DAY, { ...LAST, lastActiveAt: DAY - 1 }, 'a'],
  ['ends after a day of activity', DAY + 1, { ...LAST, lastActiveAt: DAY }, 'new'],
  [
    'ends when the clock was set back by more than the idle limit',
    0,
    { id: 'a', startedAt: IDLE + 1, lastActiveAt: IDLE + 1 },
    'new',
  ],
  ['starts when none is stored', 5, undefined, 'new'],
])('a session %s', (_, now, last, id) => expect(sessionAt(now, last, IDLE, () => 'new').id).toBe(id))

const tab = (clock: { now: number }, storage: Storage) =>
  createSession(
    createStore(textBackend(storageOf('localStorage')!, 'k')),
    () => storage as never,
    ['ph_t_window_id', 'ph_t_primary_window_exists', 'ph_t_session_id'],
    () => IDLE,
    () => clock.now,
  )
/** The session storage of one tab. */
const tabStorage = (from: Record<string, string> = {}): Storage => {
  const values = new Map(Object.entries(from))
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
    dump: () => Object.fromEntries(values),
  } as unknown as Storage
}

beforeEach(() => void jest.useFakeTimers())

test('two tabs share a session and have separate windows', () => {
  const clock = { now: 1000 }
  const one = tab(clock, tabStorage()).touch()
  jest.runAllTimers()
  const two = tab(clock, tabStorage()).touch()
  expect(two.sessionId).toBe(one.sessionId)
  expect(two.windowId).not.toBe(one.windowId)
})

test('a suspended tab continues the session that another tab kept alive', () => {
  const clock = { now: 1000 }
  const sleeper = tab(clock, tabStorage())
  const first = sleeper.touch()
  jest.runAllTimers()
  const busy = tab(clock, tabStorage())
  clock.now += IDLE - 1
  busy.touch()
  jest.runAllTimers()
  clock.now += IDLE - 1
  const received: unknown[] = []
  sleeper.onChange((id) => received.push(id))
  expect(sleeper.touch()).toMatchObject({ sessionId: first.sessionId, windowId: first.windowId })
  expect(received).toEqual([])
})

test('a new session gets a new window id', () => {
  const clock = { now: 1000 }
  const session = tab(clock, tabStorage())
  const first = session.touch()
  clock.now += IDLE + 1
  const received: unknown[] = []
  session.onChange((...args) => received.push(args))
  const second = session.touch()
  expect(received).toEqual([
    [
      second.sessionId,
      second.windowId,
      { noSessionId: false, activityTimeout: true, sessionPastMaximumLength: false, crossTabAdoption: false },
    ],
  ])
  expect(second.sessionId).not.toBe(first.sessionId)
  expect(second.windowId).not.toBe(first.windowId)
})

test('a reload keeps the window id and a duplicated tab gets a new one', () => {
  const clock = { now: 1000 }
  const storage = tabStorage()
  const session = tab(clock, storage)
  const { windowId } = session.touch()
  jest.runAllTimers()
  const copy = tabStorage((storage as unknown as { dump(): Record<string, string> }).dump())
  expect(tab(clock, copy).touch().windowId).not.toBe(windowId)
  session.release()
  expect(tab(clock, storage).touch().windowId).toBe(windowId)
})

test('session activity is written at most every five seconds', () => {
  const setItem = jest.spyOn(Storage.prototype, 'setItem')
  const clock = { now: 1_000_000 }
  const session = tab(clock, tabStorage())
  for (let index = 0; index < 100; index++) {
    clock.now += 100
    session.touch()
    jest.runAllTimers()
  }
  expect(setItem.mock.calls.length).toBeLessThanOrEqual(3)
})

test('the session id contains the start time of the session', () => {
  const clock = { now: Date.now() + 60_000 }
  const { sessionId } = tab(clock, tabStorage()).touch()
  expect(parseInt(sessionId.replace('-', '').slice(0, 12), 16)).toBe(clock.now)
})

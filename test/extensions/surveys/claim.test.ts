import { claim } from '../../../src/extensions/surveys/claim'

const NAME = 'survey:1'
const timers = { later: (run: () => void, ms?: number) => setTimeout(run, ms) }
const storage = {
  getItem: (name: string) => localStorage.getItem(name),
  setItem: (name: string, value: string) => {
    localStorage.setItem(name, value)
    return true
  },
  removeItem: (name: string) => localStorage.removeItem(name),
}
const claimHere = (onLost = () => {}) => claim(NAME, storage, timers, onLost)
/** Another tab writes its lease. */
const takeOver = () => localStorage.setItem(NAME, `${Date.now() + 10_000} another tab`)

beforeEach(() => jest.useFakeTimers())
afterEach(() => {
  jest.useRealTimers()
  localStorage.clear()
})

// jsdom has no Web Locks.
describe('the lease of a survey', () => {
  test('is renewed until it is released, even if the page clears its storage', async () => {
    const release = await claimHere()
    for (const _ of Array(60)) {
      const lease = localStorage.getItem(NAME)
      jest.advanceTimersByTime(1000)
      expect(localStorage.getItem(NAME)).not.toBe(lease)
    }
    localStorage.clear()
    jest.advanceTimersByTime(1000)
    expect(localStorage.getItem(NAME)).not.toBeNull()
    release!()
    expect(localStorage.getItem(NAME)).toBeNull()
  })

  test('in another tab prevents a claim until it expires', async () => {
    takeOver()
    expect(await claimHere()).toBeUndefined()
    jest.advanceTimersByTime(10_001)
    const release = await claimHere()
    expect(release).toBeDefined()
    release!()
  })

  test('ends when the page is left, and is renewed if the page returns', async () => {
    const release = await claimHere()
    dispatchEvent(new Event('pagehide'))
    expect(localStorage.getItem(NAME)).toBeNull()
    jest.advanceTimersByTime(1000)
    expect(localStorage.getItem(NAME)).not.toBeNull()
    release!()
  })

  test('is given up when another tab takes over, without ending the lease of that tab', async () => {
    const onLost = jest.fn()
    const release = await claimHere(onLost)
    takeOver()
    const lease = localStorage.getItem(NAME)
    jest.advanceTimersByTime(5000)
    expect(onLost).toHaveBeenCalledTimes(1)
    release!()
    expect(localStorage.getItem(NAME)).toBe(lease)
  })
})

import * as clicks from '../../src/extensions/clicks/clicks'
import type { Config } from '../../src/types'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'
import { click, find, startClickDetection } from '../support/startClicks'

const later = (ms: number) => () => new Promise<typeof clicks>((resolve) => setTimeout(() => resolve(clicks), ms))
const PAGE = '<button id="b">Buy</button><output></output>'

test('loads the click detection code once, at the first click', async () => {
  const { loads, wait } = startClickDetection(PAGE)
  await wait(5000)
  expect(loads).not.toHaveBeenCalled()
  click('#b')
  click('#b')
  await wait(5000)
  click('#b')
  expect(loads).toHaveBeenCalledTimes(1)
})

describe('while the click detection code is loading', () => {
  test('dead and rage clicks are recorded with their own timestamps', async () => {
    const { captured, wait } = startClickDetection(PAGE, {}, later(4000))
    const times: Date[] = []
    for (let step = 0; step < 3; step++) {
      times.push(new Date())
      click('#b')
      await wait(200)
    }
    await wait(5000)
    expect(captured.map(([event, , options]) => [event, options])).toEqual(
      expect.arrayContaining([
        ['$rageclick', { timestamp: times[2] }],
        ['$dead_click', { timestamp: times[0] }],
      ]),
    )
    expect(captured).toHaveLength(2)
  })

  test.each<[string, () => void]>([
    ['DOM changes', () => (find('output').textContent = '1')],
    ['page events', () => void document.dispatchEvent(new Event('copy'))],
    ['page function calls', () => document.createElement('a').click()],
    ['a return to the window just before', () => {}],
  ])('%s are recorded as responses to a click', async (_, effect) => {
    const { captured, wait } = startClickDetection(PAGE, {}, later(4000))
    if (_.startsWith('a return')) window.dispatchEvent(new Event('focus'))
    find('#b').addEventListener('click', effect)
    click('#b')
    await wait(9000)
    expect(captured).toEqual([])
  })

  test('a response in an unrelated shadow root is recorded', async () => {
    const { names, wait } = startClickDetection(
      '<button id="b">Add</button><button id="c">Dead</button><div id="count"></div>',
      {},
      later(1000),
    )
    const count = find('#count').attachShadow({ mode: 'open' })
    click('#b')
    count.append('1')
    await wait(100)
    click('#c')
    await wait(5000)
    expect(names()).toEqual(['$dead_click'])
  })

  test('a later click keeps waiting after an earlier one is resolved', async () => {
    const { captured, wait } = startClickDetection(
      '<button id="b">Add</button><button id="c">Slow</button><output></output>',
      {},
      later(4000),
    )
    click('#b')
    find('output').textContent = '1'
    await wait(3500)
    click('#c')
    await wait(1500)
    find('output').textContent = '2'
    await wait(5000)
    expect(captured).toEqual([])
  })

  test('the script element that loads the code is not a response', async () => {
    const { names, wait } = startClickDetection(PAGE, {}, async () => {
      document.body.append(document.createElement('i'))
      return clicks
    })
    click('#b')
    await wait(3000)
    expect(names()).toEqual(['$dead_click'])
  })

  describe('on a page with more activity than the buffer holds', () => {
    const TWO_BUTTONS = '<button id="b">Add</button><button id="c">Dead</button><output></output>'
    const type = (times: number) => {
      for (let step = 0; step < times; step++) document.dispatchEvent(new Event('keydown'))
    }
    const deadTexts = (captured: ReturnType<typeof startClickDetection>['captured']) =>
      captured.map(([event, { $el_text }]) => [event, $el_text])

    test('drops the oldest click with its responses and reports the latest', async () => {
      const { captured, wait } = startClickDetection(TWO_BUTTONS, {}, later(4000))
      find('#b').addEventListener('pointerdown', () => (find('output').textContent = '1'))
      find('#b').dispatchEvent(new Event('pointerdown', { bubbles: true, composed: true }))
      await wait(1)
      click('#b')
      type(990)
      click('#c')
      type(20)
      await wait(9000)
      expect(deadTexts(captured)).toEqual([['$dead_click', 'Dead']])
    })

    test('reports clicks after the code has loaded and observes the page only from the next click on', async () => {
      const own = window.open
      const { captured, wait } = startClickDetection(TWO_BUTTONS, {}, later(60_000))
      click('#b')
      type(1100)
      expect(window.open).toBe(own)
      await wait(70_000)
      click('#c')
      await wait(5000)
      expect(deadTexts(captured)).toEqual([['$dead_click', 'Dead']])
    })

    test('reports clicks before the code has loaded and after the buffer was full', async () => {
      const { captured, wait } = startClickDetection(TWO_BUTTONS, {}, later(4000))
      click('#b')
      type(2500)
      await wait(1)
      click('#c')
      await wait(9000)
      expect(deadTexts(captured)).toEqual([['$dead_click', 'Dead']])
    })
  })

  test('stop discards pending clicks', async () => {
    const { captured, stop, wait } = startClickDetection(PAGE, {}, later(1000))
    click('#b')
    stop()
    await wait(9000)
    expect(captured).toEqual([])
  })
})

describe('a click after the code has loaded', () => {
  const load = async (html: string) => {
    const detection = startClickDetection(html)
    click(document.body)
    await detection.wait(5000)
    return detection
  }

  test('is judged in a later task, so that listeners of the page do not wait', async () => {
    const { names, wait } = await load(PAGE)
    const matches = jest.spyOn(Element.prototype, 'matches')
    click('#b')
    expect(matches).not.toHaveBeenCalled()
    await wait(1)
    expect(matches).toHaveBeenCalled()
    await wait(5000)
    expect(names()).toEqual(['$dead_click'])
  })

  test('has the ancestors of its moment, even if its listener removes the element', async () => {
    const { names, wait } = await load(`<div class="ph-no-capture">${PAGE}</div>`)
    const button = find('#b')
    for (let times = 0; times < 2; times++) {
      click(button)
      await wait(900)
    }
    button.addEventListener('click', () => {
      find('.ph-no-capture').remove()
      button.remove()
    })
    click(button)
    await wait(5000)
    expect(names()).toEqual([])
  })

  test('is judged earlier if more happens in its task than the buffer holds', async () => {
    const { names, wait } = await load(PAGE)
    for (let times = 0; times < 3; times++) click('#b')
    for (let step = 0; step < 1500; step++) document.dispatchEvent(new Event('keydown'))
    await wait(5000)
    expect(names()).toEqual(['$rageclick', '$dead_click'])
  })

  test('is discarded by a stop in the same task', async () => {
    const { captured, stop, wait } = await load(PAGE)
    click('#b')
    stop()
    await wait(5000)
    expect(captured).toEqual([])
  })
})

describe('click detection restores the page', () => {
  /** Counts our listeners and observers on the page. */
  const watched = () => {
    const counts = { listeners: 0, observers: 0 }
    // The test environment defines its own methods on window.
    for (const target of [EventTarget.prototype, window]) {
      for (const [method, step] of [
        ['addEventListener', 1],
        ['removeEventListener', -1],
      ] as const) {
        const original = target[method] as (...args: unknown[]) => void
        jest.spyOn(target, method).mockImplementation(function (this: EventTarget, ...args: unknown[]) {
          counts.listeners += step
          original.apply(this, args)
        })
      }
    }
    const { observe, disconnect } = MutationObserver.prototype
    jest.spyOn(MutationObserver.prototype, 'observe').mockImplementation(function (this: MutationObserver, ...args) {
      counts.observers += 1
      observe.apply(this, args)
    })
    jest.spyOn(MutationObserver.prototype, 'disconnect').mockImplementation(function (this: MutationObserver) {
      counts.observers = 0
      disconnect.apply(this)
    })
    return counts
  }

  test('observes the page only while a click is pending: briefly after a response, for the full wait otherwise', async () => {
    const counts = watched()
    const own = [HTMLElement.prototype.click, window.open]
    const { wait } = startClickDetection(PAGE)
    const { listeners } = counts
    expect(counts.observers).toBe(0)
    click('#b')
    expect(counts.observers).toBe(1)
    expect([HTMLElement.prototype.click, window.open]).not.toEqual(own)
    await wait(2700)
    expect(counts.observers).toBe(1)
    await wait(100)
    // One more than before the first click: the detector listens for the page being left.
    expect(counts).toEqual({ listeners: listeners + 1, observers: 0 })
    expect([HTMLElement.prototype.click, window.open]).toEqual(own)

    click('#b')
    find('output').textContent = '1'
    await wait(600)
    expect(counts).toEqual({ listeners: listeners + 1, observers: 0 })
  })

  test('restores patched functions with two instances on one page', async () => {
    const own = window.open
    const both = [startClickDetection(PAGE), startClickDetection(PAGE)]
    click('#b')
    expect(window.open).not.toBe(own)
    await both[0]!.wait(5000)
    expect(window.open).toBe(own)
    expect(both.map(({ names }) => names())).toEqual([['$dead_click'], ['$dead_click']])
  })

  test('removes all listeners, observers and timers when stopped during a wait', async () => {
    const counts = watched()
    const own = window.open
    const { captured, stop, wait } = startClickDetection(PAGE)
    click('#b')
    await wait(100)
    stop()
    expect(counts).toEqual({ listeners: 0, observers: 0 })
    expect(window.open).toBe(own)
    expect(jest.getTimerCount()).toBe(0)
    click('#b')
    await wait(5000)
    expect(captured).toEqual([])
  })

  test('removes all listeners and observers when the code fails to load', async () => {
    const counts = watched()
    const { loads, captured, wait } = startClickDetection(PAGE, {}, () => Promise.reject(new Error('blocked')))
    click('#b')
    await wait(100)
    expect(counts).toEqual({ listeners: 0, observers: 0 })
    click('#b')
    await wait(5000)
    expect(loads).toHaveBeenCalledTimes(1)
    expect(captured).toEqual([])
  })
})

test.each<[string, Partial<Config>, string[]]>([
  ['both', {}, ['$dead_click', '$rageclick']],
  ['rage clicks only', { capture_dead_clicks: false }, ['$rageclick']],
  ['dead clicks only', { rageclick: false }, ['$dead_click']],
])('click detection captures only enabled events: %s', async (_, config, expected) => {
  const { names, wait } = startClickDetection(PAGE, config)
  for (let step = 0; step < 3; step++) click('#b')
  await wait(5000)
  expect(names().sort()).toEqual(expected)
})

test('click detection captures nothing for pending clicks after set_config disables both events', async () => {
  const { config, captured, wait } = startClickDetection(PAGE)
  for (let step = 0; step < 3; step++) click('#b')
  await wait(100)
  config.capture_dead_clicks = false
  config.rageclick = false
  await wait(5000)
  expect(captured).toEqual([])
})

test('a client runs no detection with both options off, starts it on set_config and stops it on opt-out', async () => {
  document.body.innerHTML = PAGE
  const fetched: string[] = []
  const { analytics, sent, settle } = startAnalytics(
    { capture_dead_clicks: false },
    'token',
    undefined,
    async (name) => {
      fetched.push(name)
      if (name !== 'clicks') throw new Error('not here')
      return clicks
    },
  )
  const names = () => sent.map(({ event }) => event)
  click('#b')
  await settle()
  expect(fetched).not.toContain('clicks')
  analytics.set_config({ capture_dead_clicks: true })
  click('#b')
  await settle()
  await settle()
  expect(names()).toEqual(['$dead_click'])
  analytics.set_config({ capture_dead_clicks: false })
  click('#b')
  await settle()
  analytics.set_config({ capture_dead_clicks: true })
  click('#b')
  analytics.opt_out_capturing()
  await settle()
  await settle()
  expect(names()).toEqual(['$dead_click'])
})

test('an extension that fails to load logs one debug message and no error', async () => {
  document.body.innerHTML = PAGE
  const errors = listenToConsole('error')
  const lines: string[] = []
  jest.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void lines.push(words.map(String).join(' ')))
  const { settle } = startAnalytics({ capture_dead_clicks: true, debug: true }, 'token', undefined, () =>
    Promise.reject(new Error('no extensions here')),
  )
  click('#b')
  click('#b')
  await settle()
  expect(lines.filter((line) => line.includes('clicks'))).toEqual([
    '[trailmark] extension clicks is not available; its features are off Error: no extensions here',
  ])
  expect(errors).toEqual([])
})

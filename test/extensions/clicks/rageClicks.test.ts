import { clickRun, saysOneOf } from '../../../src/extensions/clicks/rageClicks'
import type { Config, RageclickConfig } from '../../../src/types'
import { click, find, startClickDetection } from '../../support/startClicks'

const start = (html: string, config: Partial<Config> = {}) =>
  startClickDetection(html, { capture_dead_clicks: false, ...config })
const clickThrice = (selector: string) => [1, 2, 3].forEach(() => click(selector))
const at = (x: number, time: number) => ({ x, y: 0, at: time })

test.each([
  ['continues with a near, quick click', at(20, 500), 2],
  ['restarts when the click is too far away', at(30, 500), 1],
  ['restarts when the click is too late', at(0, 1000), 1],
])('a sequence of clicks %s', (_, next, length) => expect(clickRun([at(0, 0)], next, {})).toHaveLength(length))

test('reports a rage click on the third click in one spot and not again on the fourth', async () => {
  const { captured, wait } = start('<button id="b">Broken</button>')
  click('#b')
  await wait(300)
  click('#b')
  await wait(600)
  expect(captured).toEqual([])
  const third = new Date()
  click('#b')
  await wait(200)
  click('#b')
  await wait(1000)
  expect(captured).toEqual([
    [
      '$rageclick',
      expect.objectContaining({
        $el_text: 'Broken',
        $event_type: 'click',
        $elements_chain: expect.stringContaining('button:'),
      }),
      { timestamp: third },
    ],
  ])
})

test('counts the response to an earlier click of the run after its element was removed', async () => {
  const { names, wait } = start('<button id="b">Next</button><main><p>0</p></main>')
  find('#b').addEventListener('click', () => {
    find('p').textContent += '.'
    setTimeout(() => (find('main').innerHTML = '<p>0</p>'), 700)
  })
  for (let times = 0; times < 3; times += 1) {
    click('#b')
    await wait(900)
  }
  await wait(20_000)
  expect(names()).toEqual([])
})

test('sets the timestamp of a rage click no later than the click itself', async () => {
  const { captured, names, wait } = start('<button id="b">Broken</button>', { autocapture: true })
  const before = Date.now()
  clickThrice('#b')
  await wait(1000)
  expect(names()).toEqual(['$autocapture', '$autocapture', '$autocapture', '$rageclick'])
  expect(captured[3]![2]!.timestamp!.getTime()).toBe(before)
})

describe('rage click detection of responsive controls', () => {
  const stepper = (onClick: () => void) => {
    const started = start('<button id="b">+</button><output>0</output><input id="n" type="number">')
    find('#b').addEventListener('click', onClick)
    return started
  }
  const count = () => (find('output').textContent = String(Number(find('output').textContent) + 1))

  test.each([
    ['changes the page each time', count],
    ['changes the page each time after a delay', () => void setTimeout(count, 200)],
    ['changes the value of a field each time', () => find('#n').dispatchEvent(new Event('input', { bubbles: true }))],
    ['opens another URL each time', () => history.pushState(null, '', `/page/${history.length}`)],
    ['scrolls each time', () => void document.dispatchEvent(new Event('scroll'))],
    ['starts and stops a video', () => void find('#n').dispatchEvent(new Event('play'))],
  ])('reports nothing for a control that %s', async (_, onClick) => {
    const { captured, wait } = stepper(onClick)
    for (let step = 0; step < 6; step++) {
      click('#b')
      await wait(150)
    }
    await wait(1000)
    expect(captured).toEqual([])
  })

  test('counts one response for three clicks before it, as with a debounced list', async () => {
    const { captured, wait } = stepper(() => {})
    clickThrice('#b')
    setTimeout(count, 300)
    await wait(1000)
    expect(captured).toEqual([])
  })

  test.each([
    ['responds to the first click only', [0]],
    ['stops responding at the third click', [0, 1]],
  ])('reports a control that %s', async (_, responsiveSteps) => {
    let step = 0
    const { names, wait } = stepper(() => void (responsiveSteps.includes(step++) && count()))
    for (let times = 0; times < 3; times++) {
      click('#b')
      await wait(150)
    }
    await wait(1000)
    expect(names()).toEqual(['$rageclick'])
  })

  test('reports a control that responds after more than half a second', async () => {
    const { names, wait } = stepper(() => void setTimeout(count, 700))
    for (let times = 0; times < 3; times++) {
      click('#b')
      await wait(600)
    }
    expect(names()).toEqual(['$rageclick'])
  })
})

test('leaving the page does not count as a response to rage clicks, and the event is captured before the page is left', async () => {
  const { names, wait } = start('<button id="l">Slow</button>')
  clickThrice('#l')
  await wait(50)
  window.dispatchEvent(new Event('pagehide'))
  expect(names()).toEqual(['$rageclick'])
  await wait(1000)
  expect(names()).toEqual(['$rageclick'])
})

test('leaving the page captures no rage click after clicks that had an effect', async () => {
  const { names, wait } = start('<button id="b">+</button><output>0</output>')
  for (let times = 0; times < 3; times++) {
    click('#b')
    find('output').textContent += '1'
    await wait(10)
  }
  window.dispatchEvent(new Event('pagehide'))
  expect(names()).toEqual([])
})

describe('rage click thresholds', () => {
  const count = async (rageclick: RageclickConfig, clicks: MouseEventInit[], pauseMs = 100) => {
    const { captured, wait } = start('<button id="b">x</button>', { rageclick })
    for (const init of clicks) {
      click('#b', init)
      await wait(pauseMs)
    }
    await wait(3000)
    return captured.length
  }
  const near = { clientX: 5 }
  const far = { clientX: 45 }
  test.each<[string, RageclickConfig, MouseEventInit[], number, number]>([
    ['click_count 2: two clicks', { click_count: 2 }, [near, near], 100, 1],
    ['click_count 4: three clicks', { click_count: 4 }, [near, near, near], 100, 0],
    ['click_count 4: four clicks', { click_count: 4 }, [near, near, near, near], 100, 1],
    ['threshold_px by default: 40 px apart', {}, [near, far, near], 100, 0],
    ['threshold_px 50: 40 px apart', { threshold_px: 50 }, [near, far, near], 100, 1],
    ['timeout_ms by default: 1.2 s apart', {}, [near, near, near], 1200, 0],
    ['timeout_ms 1500: 1.2 s apart', { timeout_ms: 1500 }, [near, near, near], 1200, 1],
    ['timeout_ms 50: 100 ms apart', { timeout_ms: 50 }, [near, near, near], 100, 0],
  ])('are applied: %s', async (_, rageclick, clicks, pauseMs, expected) =>
    expect(await count(rageclick, clicks, pauseMs)).toBe(expected),
  )
})

test('reports three clicks on a link with a slow page as a rage click, not as a dead click', async () => {
  const navigation = new EventTarget()
  Object.assign(window, { navigation })
  const { names, wait } = startClickDetection('<a id="l">Slow</a><button id="b">Slow</button>')
  for (const selector of ['#l', '#b'])
    find(selector).addEventListener('click', () => navigation.dispatchEvent(new Event('navigate')))
  clickThrice('#l')
  await wait(3000)
  click('#b')
  await wait(3000)
  expect(names()).toEqual(['$rageclick'])
  delete (window as { navigation?: unknown }).navigation
})

test.each([
  ['an element in ph-no-rageclick', '<div class="ph-no-rageclick"><button id="b">x</button></div>', true, 0],
  ['an element in ph-no-capture', '<div class="ph-no-capture"><button id="b">x</button></div>', true, 0],
  [
    'an element that matches css_selector_ignorelist',
    '<button id="b" class="stepper">x</button>',
    { css_selector_ignorelist: ['.stepper'] },
    0,
  ],
  [
    'a child of an element that matches css_selector_ignorelist',
    '<div class="stepper"><button id="b">x</button></div>',
    { css_selector_ignorelist: ['.stepper'] },
    0,
  ],
  ['an element with an empty css_selector_ignorelist', '<button id="b">x</button>', { css_selector_ignorelist: [] }, 0],
  [
    'a button with the text next and content_ignorelist true',
    '<button id="b">Next page</button>',
    { content_ignorelist: true },
    0,
  ],
  [
    'a button with the aria-label previous and content_ignorelist true',
    '<button id="b" aria-label="Previous">x</button>',
    { content_ignorelist: true },
    0,
  ],
  [
    'a button with the text > and content_ignorelist true',
    '<button id="b">&gt;</button>',
    { content_ignorelist: true },
    0,
  ],
  [
    'a button with a custom word in content_ignorelist',
    '<button id="b">Add one more</button>',
    { content_ignorelist: ['more'] },
    0,
  ],
  ['a text field, where three clicks select a line', '<input id="b">', true, 0],
  ['a text area', '<textarea id="b"></textarea>', true, 0],
  ['an editor', '<div contenteditable><p id="b">x</p></div>', true, 0],
  ['an element that is not clickable', '<p id="b">x</p>', true, 0],
])('does not report rage clicks on %s', async (_, html, rageclick, count) => {
  const { captured, wait } = start(html, { rageclick: rageclick as Config['rageclick'] })
  clickThrice('#b')
  await wait(1000)
  expect(captured).toHaveLength(count)
})

test.each([
  [
    'a class of the built-in list that a custom css_selector_ignorelist replaces',
    '<button id="b" class="ph-no-rageclick">x</button>',
    { css_selector_ignorelist: ['.other'] },
  ],
  ['a listed word with content_ignorelist false', '<button id="b">Next</button>', { content_ignorelist: false }],
  ['a longer word that contains a listed word', '<button id="b">Nextcloud</button>', { content_ignorelist: true }],
  [
    'a control in a region that contains a listed word',
    '<div>Next<button id="b">x</button></div>',
    { content_ignorelist: true },
  ],
])('reports rage clicks on %s', async (_, html, rageclick) => {
  const { captured, wait } = start(html, { rageclick })
  clickThrice('#b')
  await wait(1000)
  expect(captured).toHaveLength(1)
})

test.each([
  ['next', ['next'], true],
  ['the next one', ['NEXT'], true],
  ['nextcloud', ['next'], false],
  ['>', ['>'], true],
  ['a > b', ['>'], false],
])('saysOneOf(%j, %j) returns %s', (text, words, expected) => expect(saysOneOf(text, words)).toBe(expected))

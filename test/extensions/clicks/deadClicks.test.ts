import type { Config } from '../../../src/types'
import { click, find, startClickDetection } from '../../support/startClicks'

const start = (html = '<button id="b" class="wide">Buy</button>', config: Partial<Config> = {}) =>
  startClickDetection(html, { rageclick: false, ...config })
const dispatch = (type: string, target: EventTarget = document) =>
  void target.dispatchEvent(new Event(type, { bubbles: type === 'visibilitychange' }))
const change = () => find('#b').setAttribute('data-clicked', String(performance.now()))
/** Simulates a user selecting the text of an element. */
const mark = (element: Element) => getSelection()!.selectAllChildren(element)

test('reports a dead click once after the wait, with its time and delays', async () => {
  const { captured, wait } = start()
  const clickedAt = new Date()
  click('#b')
  await wait(2700)
  expect(captured).toEqual([])
  await wait(100)
  const [[event, properties, options]] = captured as [[string, Record<string, unknown>, unknown]]
  expect(event).toBe('$dead_click')
  expect(options).toEqual({ timestamp: clickedAt })
  expect(properties).toEqual({
    $event_type: 'click',
    $ce_version: 1,
    $el_text: 'Buy',
    $elements_chain: expect.stringMatching(/^button\.wide:.*;body:/),
    $elements: [
      {
        tag_name: 'button',
        $el_text: 'Buy',
        classes: ['wide'],
        attr__id: 'b',
        attr__class: 'wide',
        nth_child: 1,
        nth_of_type: 1,
      },
      { tag_name: 'body', nth_child: 2, nth_of_type: 1 },
    ],
    $dead_click_event_timestamp: clickedAt.getTime(),
    $dead_click_absolute_timeout: true,
    $dead_click_absolute_delay_ms: expect.any(Number),
    $dead_click_mutation_timeout: false,
    $dead_click_scroll_timeout: false,
    $dead_click_selection_changed_timeout: false,
    $dead_click_visibility_changed_timeout: false,
  })
  expect(properties.$dead_click_absolute_delay_ms).toBeGreaterThanOrEqual(2750)
  await wait(10_000)
  expect(captured).toHaveLength(1)
})

const OPEN_FIELD = '<button id="b">Search</button><input id="field"><a id="other" href="#">x</a>'
test.each<[string, number, () => void]>([
  ['an element changes', 2490, change],
  ['a text node changes', 2490, () => (find('#b').firstChild!.nodeValue = 'Bought')],
  ['an element is added', 2490, () => document.body.append(document.createElement('p'))],
  ['the page scrolls', 2490, () => dispatch('scroll')],
  [
    'the page scrolls immediately, even if the user acts next',
    90,
    () => {
      dispatch('wheel')
      dispatch('scroll')
    },
  ],
  ['an element scrolls', 90, () => dispatch('scroll', find('#b'))],
  [
    'the selection changes',
    2490,
    () => {
      mark(document.body)
      dispatch('selectionchange')
    },
  ],
  ['the page is hidden', 990, () => dispatch('visibilitychange', document.body)],
  ['the window loses focus', 990, () => dispatch('blur', window)],
  ['a field changes its value', 2490, () => dispatch('input', find('#field'))],
  ['a text field gains focus', 2490, () => (find('#field') as HTMLElement).focus()],
  ['an element opens', 2490, () => dispatch('toggle', find('#b'))],
  ['a video starts', 2490, () => dispatch('play', find('#b'))],
  ['text is copied', 2490, () => dispatch('copy')],
  ['a form reports an invalid field', 2490, () => dispatch('invalid', find('#field'))],
  ['the URL changes', 2490, () => history.pushState(null, '', `/${performance.now()}`)],
  ['the page opens a confirm dialog', 2490, () => void window.confirm('Sure?')],
  ['the page opens a window', 2490, () => void window.open('/other')],
  ['a download or a file dialog starts', 2490, () => document.createElement('a').click()],
  ['the page is left', 2490, () => dispatch('pagehide', window)],
])('reports no dead click when %s', async (_, after, effect) => {
  window.confirm = () => true
  window.open = () => null
  const { captured, wait } = start(OPEN_FIELD)
  // The first click loads the code. The second is handled normally.
  click('#b')
  setTimeout(effect, after)
  await wait(5000)
  getSelection()!.removeAllRanges()
  ;(document.activeElement as HTMLElement).blur()
  click('#b')
  setTimeout(effect, after)
  await wait(5000)
  expect(captured).toEqual([])
})

test.each<[string, number, () => void, Record<string, unknown>]>([
  [
    'an element changes',
    2600,
    change,
    {
      $dead_click_mutation_timeout: true,
      $dead_click_mutation_delay_ms: 2600,
      $dead_click_last_mutation_timestamp: Date.parse('2026-11-21T10:00:02.600Z'),
    },
  ],
  [
    'the user scrolls',
    150,
    () => {
      dispatch('wheel')
      dispatch('scroll')
    },
    { $dead_click_scroll_timeout: true, $dead_click_scroll_delay_ms: 150 },
  ],
  [
    'the user selects text',
    150,
    () => {
      dispatch('pointerdown')
      mark(document.body)
      dispatch('selectionchange')
    },
    { $dead_click_selection_changed_timeout: true, $dead_click_selection_changed_delay_ms: 150 },
  ],
  [
    'the page is hidden',
    1100,
    () => dispatch('visibilitychange', document.body),
    { $dead_click_visibility_changed_timeout: false, $dead_click_visibility_changed_delay_ms: 1100 },
  ],
  ['the window loses focus', 1100, () => dispatch('blur', window), { $dead_click_focus_changed_delay_ms: 1100 }],
])('reports a dead click when %s only after %i ms', async (_, after, effect, expected) => {
  const { captured, wait } = start()
  click('#b')
  setTimeout(effect, after)
  await wait(3000)
  expect(captured).toEqual([['$dead_click', expect.objectContaining(expected), expect.anything()]])
})

test('dead click detection ignores invisible changes: scripts, resource hints, button focus, caret moves and later actions', async () => {
  const { names, wait } = start(OPEN_FIELD)
  click('#b')
  await wait(10)
  document.head.append(
    document.createElement('script'),
    Object.assign(document.createElement('link'), { rel: 'modulepreload' }),
  )
  ;(find('#b') as HTMLElement).focus()
  ;(find('#other') as HTMLElement).focus()
  for (const type of ['selectionchange', 'wheel', 'touchmove', 'keydown', 'pointerdown']) dispatch(type)
  await wait(3000)
  expect(names()).toEqual(['$dead_click'])
})

test('dead click detection keeps waiting after a late scroll because a later response may follow', async () => {
  const { captured, wait } = start()
  click('#b')
  setTimeout(() => dispatch('wheel'), 290)
  setTimeout(() => dispatch('scroll'), 300)
  setTimeout(change, 1500)
  await wait(3000)
  expect(captured).toEqual([])
})

test.each([
  ['in a link', '<a href="#"><b id="b">x</b></a>'],
  ['in a text field', '<input id="b">'],
  ['in a field with a browser picker', '<input type="date" id="b">'],
  ['on a checkbox', '<input type="checkbox" id="b">'],
  ['in a text area', '<textarea id="b"></textarea>'],
  ['on a select', '<select id="b"></select>'],
  ['on a label', '<label><b id="b">Name</b></label>'],
  ['in an editable element', '<div contenteditable="true"><b id="b">x</b></div>'],
  ['on a video', '<video id="b"></video>'],
  ['on a canvas', '<canvas id="b"></canvas>'],
  ['on ph-no-deadclick', '<div class="ph-no-deadclick"><button id="b">x</button></div>'],
  ['on ph-no-capture', '<div class="ph-no-capture"><button id="b">x</button></div>'],
])('reports no dead click for a click %s', async (_, html) => {
  const { captured, wait } = start(html)
  click('#b')
  await wait(3000)
  expect(captured).toEqual([])
})

test.each([
  ['on an element that is not a control', '<div id="b">Buy</div>'],
  ['on an input that acts as a button', '<input type="submit" id="b">'],
])('reports a dead click for a click %s', async (_, html) => {
  const { names, wait } = start(html)
  click('#b')
  await wait(3000)
  expect(names()).toEqual(['$dead_click'])
})

test.each(['ctrlKey', 'metaKey', 'altKey', 'shiftKey'])('reports no dead click for a click with %s', async (key) => {
  const { captured, wait } = start()
  click('#b', { [key]: true })
  await wait(3000)
  expect(captured).toEqual([])
})

test('reports no dead click for a click on the page background', async () => {
  const { captured, wait } = start()
  click(document.body)
  click(document.documentElement)
  await wait(3000)
  expect(captured).toEqual([])
})

test('reports no dead click for the end of a text selection or for the click that focuses the window', async () => {
  const { captured, wait } = start('<p id="p">Text</p><button id="b">x</button>')
  mark(find('#p'))
  await wait(200)
  click('#p')
  await wait(3000)
  dispatch('focus', window)
  await wait(500)
  click('#b')
  await wait(3000)
  expect(captured).toEqual([])
  // A selection elsewhere does not affect the button, and the window gained focus long before.
  click('#b')
  await wait(3000)
  expect(captured).toHaveLength(1)
})

test('reports repeated dead clicks once a second', async () => {
  const { captured, wait } = start()
  for (let times = 0; times < 4; times++) {
    click('#b')
    await wait(400)
  }
  await wait(5000)
  expect(captured).toHaveLength(2)
})

test('dead click detection observes changes in all open shadow roots', async () => {
  const { captured, wait } = start('<div id="one"></div><div id="two"></div>')
  const [one, two] = ['#one', '#two'].map((id) => find(id).attachShadow({ mode: 'open' }))
  one!.innerHTML = '<button>Add</button>'
  two!.innerHTML = '<i>0</i><span></span>'
  const deep = two!.querySelector('span')!.attachShadow({ mode: 'open' })
  const button = one!.querySelector('button')!
  click('#one')
  await wait(3000)
  captured.splice(0)
  for (const effect of [
    () => button.toggleAttribute('disabled'),
    () => (two!.querySelector('i')!.textContent = '1'),
    () => deep.append('new'),
    () => dispatch('change', two!.querySelector('i')!),
  ]) {
    click(button)
    effect()
    await wait(3000)
    expect(captured).toEqual([])
  }
  click(button)
  await wait(3000)
  expect(captured).toEqual([
    [
      '$dead_click',
      expect.objectContaining({
        $el_text: 'Add',
        $elements_chain: expect.stringMatching(/^button:.*;div:attr__id="one"/),
      }),
      expect.anything(),
    ],
  ])
})

test('dead click detection observes changes in a shadow root attached after the previous click', async () => {
  const { names, wait } = start('<button id="b">Dead</button><div id="young"></div>')
  click('#b')
  await wait(1000)
  const root = find('#young').attachShadow({ mode: 'open' })
  root.innerHTML = '<button>Add</button>'
  click(root.querySelector('button')!)
  await wait(100)
  root.append('Added')
  await wait(5000)
  expect(names()).toEqual([])
})

test('dead click detection observes the shadow root of a click whose host hides it', async () => {
  const { names, wait } = start('<div id="host"></div>')
  const root = find('#host').attachShadow({ mode: 'open' })
  root.innerHTML = '<button>Add</button><output></output>'
  Object.defineProperty(find('#host'), 'shadowRoot', { value: null })
  click(root.querySelector('button')!)
  root.querySelector('output')!.append('1')
  await wait(5000)
  expect(names()).toEqual([])
  click(root.querySelector('button')!)
  await wait(5000)
  expect(names()).toEqual(['$dead_click'])
})

test('dead click detection works near an element whose property "shadowRoot" is something else', async () => {
  const { names, wait } = start('<button>Dead</button>')
  Object.defineProperty(find('button'), 'shadowRoot', { value: {} })
  click('button')
  await wait(5000)
  expect(names()).toEqual(['$dead_click'])
})

// ── Swipes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const touch = (type: string, [clientX, clientY]: readonly [number, number], selector: string, isPrimary = true) => {
  const event = new Event(type, { bubbles: true, composed: true })
  const isPress = type === 'pointerdown'
  Object.assign(
    event,
    isPress ? { clientX, clientY, isPrimary, pointerType: 'touch' } : { changedTouches: [{ clientX, clientY }] },
  )
  find(selector).dispatchEvent(event)
}
/** Simulates a touch of one finger that moves by some px. */
const swipe = (x: number, y = 0, selector = '#b', during = () => {}) => {
  touch('pointerdown', [100, 100], selector)
  during()
  touch('touchend', [100 + x, 100 + y], selector)
}

test('reports a dead swipe with its direction and distance', async () => {
  const { captured, wait } = start()
  const at = Date.now()
  swipe(-40, 30)
  await wait(2700)
  expect(captured).toEqual([])
  await wait(100)
  const [[event, properties, options]] = captured as [[string, Record<string, unknown>, unknown]]
  expect([event, options]).toEqual(['$dead_swipe', { timestamp: new Date(at) }])
  expect(properties).toMatchObject({
    $event_type: 'touchend',
    $elements: [expect.objectContaining({ tag_name: 'button' }), expect.anything()],
    $dead_swipe_direction: 'left',
    $dead_swipe_distance_px: 50,
    $dead_swipe_event_timestamp: at,
    $dead_swipe_absolute_timeout: true,
    $dead_swipe_mutation_timeout: false,
  })
  expect(Object.keys(properties).filter((name) => name.startsWith('$dead_click'))).toEqual([])
})

test.each<[string, () => void]>([
  ['right', () => swipe(30)],
  ['up', () => swipe(-20, -40)],
  ['down', () => swipe(0, 30)],
  ['right', () => swipe(30, 0, '#link')],
  ['right', () => swipe(30, 0, '#field')],
])('reports a dead swipe %s', async (direction, act) => {
  const { captured, wait } = start('<button id="b">Buy</button><a id="link" href="#">More</a><input id="field">')
  act()
  await wait(4000)
  expect(captured).toEqual([
    ['$dead_swipe', expect.objectContaining({ $dead_swipe_direction: direction }), expect.anything()],
  ])
})

const OVER = '<p id="b">x</p><canvas></canvas><p id="off" class="ph-no-deadclick">x</p>'
test.each<[string, () => void, Config['capture_dead_clicks']]>([
  ['is shorter than 30 px', () => swipe(29), true],
  ['is shorter than the configured distance', () => swipe(80), { swipe_threshold_px: 100 }],
  ['is over a canvas', () => swipe(50, 0, 'canvas'), true],
  ['is over the background', () => swipe(50, 0, 'body'), true],
  ['is over an excluded element', () => swipe(50, 0, '#off'), true],
  ['scrolls the page while it lasts', () => swipe(50, 0, '#b', () => dispatch('scroll')), true],
  ['is answered later', () => (swipe(50), setTimeout(change, 2000)), true],
  ['is of two fingers', () => swipe(50, 0, '#b', () => touch('pointerdown', [10, 10], '#b', false)), true],
  ['is not asked for', () => swipe(50), { capture_dead_swipes: false }],
])('reports no dead swipe that %s', async (_, act, capture_dead_clicks) => {
  const { captured, wait } = start(OVER, { capture_dead_clicks })
  act()
  await wait(4000)
  expect(captured).toEqual([])
})

test('reports at most ten dead swipes, and dead clicks after them', async () => {
  const { names, wait } = start()
  for (let times = 0; times < 12; times++) {
    swipe(50)
    await wait(4000)
  }
  click('#b')
  await wait(4000)
  expect(names()).toEqual([...Array<string>(10).fill('$dead_swipe'), '$dead_click'])
})

test('effects of a touch count for the click of its tap', async () => {
  const { captured, wait } = start()
  swipe(3, 0, '#b', change)
  click('#b')
  await wait(4000)
  expect(captured).toEqual([])
})

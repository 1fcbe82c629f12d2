import type { Config } from '../../../src/types'
import { click, find, judgeClicksOn } from '../../support/startClicks'

const start = (html = '<button id="b" class="wide">Buy</button>', config: Partial<Config> = {}) =>
  judgeClicksOn(html, { rageclick: false, ...config })
const dispatch = (type: string, target: EventTarget = document) =>
  void target.dispatchEvent(new Event(type, { bubbles: type === 'visibilitychange' }))
const change = () => find('#b').setAttribute('data-clicked', String(performance.now()))
/** As when a person has marked the text of an element. */
const mark = (element: Element) => getSelection()!.selectAllChildren(element)

test('reports a click that nothing follows once, after the wait, with its time and the evidence', async () => {
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
  ['a text changes', 2490, () => (find('#b').firstChild!.nodeValue = 'Bought')],
  ['an element comes', 2490, () => document.body.append(document.createElement('p'))],
  ['the page scrolls', 2490, () => dispatch('scroll')],
  [
    'the page scrolls at once, whatever the person does next',
    90,
    () => {
      dispatch('wheel')
      dispatch('scroll')
    },
  ],
  ['a part of the page scrolls', 90, () => dispatch('scroll', find('#b'))],
  [
    'text is marked',
    2490,
    () => {
      mark(document.body)
      dispatch('selectionchange')
    },
  ],
  ['the page is hidden', 990, () => dispatch('visibilitychange', document.body)],
  ['another window comes to the front', 990, () => dispatch('blur', window)],
  ['a field changes its value', 2490, () => dispatch('input', find('#field'))],
  ['a text field gets the focus', 2490, () => (find('#field') as HTMLElement).focus()],
  ['something opens', 2490, () => dispatch('toggle', find('#b'))],
  ['a film starts', 2490, () => dispatch('play', find('#b'))],
  ['something is copied', 2490, () => dispatch('copy')],
  ['a form says what is missing', 2490, () => dispatch('invalid', find('#field'))],
  ['the address changes', 2490, () => history.pushState(null, '', `/${performance.now()}`)],
  ['the page asks a question', 2490, () => void window.confirm('Sure?')],
  ['a window is opened', 2490, () => void window.open('/other')],
  ['a download or a file dialog begins', 2490, () => document.createElement('a').click()],
  ['the page is left', 2490, () => dispatch('pagehide', window)],
])('alive: %s', async (_, after, effect) => {
  window.confirm = () => true
  window.open = () => null
  const { captured, wait } = start(OPEN_FIELD)
  // The first click brings the code; the second is one like any other.
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
    'a person scrolls',
    150,
    () => {
      dispatch('wheel')
      dispatch('scroll')
    },
    { $dead_click_scroll_timeout: true, $dead_click_scroll_delay_ms: 150 },
  ],
  [
    'a person marks text',
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
  [
    'another window comes to the front',
    1100,
    () => dispatch('blur', window),
    { $dead_click_focus_changed_delay_ms: 1100 },
  ],
])('dead, because it is too late: %s after %i ms', async (_, after, effect, expected) => {
  const { captured, wait } = start()
  click('#b')
  setTimeout(effect, after)
  await wait(3000)
  expect(captured).toEqual([['$dead_click', expect.objectContaining(expected), expect.anything()]])
})

test('ignores invisible changes: scripts, resource hints, button focus, caret moves and later actions', async () => {
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

test('a late scroll does not end the wait: what the click asked for may still come', async () => {
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
  ['in a field that opens something of the browser', '<input type="date" id="b">'],
  ['on a checkbox', '<input type="checkbox" id="b">'],
  ['in a text area', '<textarea id="b"></textarea>'],
  ['on a select', '<select id="b"></select>'],
  ['on a label', '<label><b id="b">Name</b></label>'],
  ['in something editable', '<div contenteditable="true"><b id="b">x</b></div>'],
  ['on a film', '<video id="b"></video>'],
  ['on a canvas', '<canvas id="b"></canvas>'],
  ['on ph-no-deadclick', '<div class="ph-no-deadclick"><button id="b">x</button></div>'],
  ['on ph-no-capture', '<div class="ph-no-capture"><button id="b">x</button></div>'],
])('not accused: a click %s', async (_, html) => {
  const { captured, wait } = start(html)
  click('#b')
  await wait(3000)
  expect(captured).toEqual([])
})

test.each([
  ['on what only looks like a control', '<div id="b">Buy</div>'],
  ['on an input that is a button', '<input type="submit" id="b">'],
])('accused too: a click %s', async (_, html) => {
  const { names, wait } = start(html)
  click('#b')
  await wait(3000)
  expect(names()).toEqual(['$dead_click'])
})

test.each(['ctrlKey', 'metaKey', 'altKey', 'shiftKey'])('not accused: a click with %s', async (key) => {
  const { captured, wait } = start()
  click('#b', { [key]: true })
  await wait(3000)
  expect(captured).toEqual([])
})

test("not accused: a click on the page's own ground", async () => {
  const { captured, wait } = start()
  click(document.body)
  click(document.documentElement)
  await wait(3000)
  expect(captured).toEqual([])
})

test('not accused: the end of marking a text, and the click that brings the window to the front', async () => {
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
  // What is marked elsewhere does not speak for the button, and the window has long been in front.
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

test('a change in any open shadow root counts, in the one that was clicked in and in others', async () => {
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

test('detects changes in a shadow root attached after the previous click', async () => {
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

import { startAutocapture } from '../../src/sources/autocapture/startAutocapture'
import { clickRun, saysOneOf, startRageClicks } from '../../src/sources/rageClicks'
import type { Config, Properties } from '../../src/types'

let stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

const start = (html: string, config: Partial<Config> = {}) => {
  document.body.innerHTML = html
  const captured: [string, Properties][] = []
  const host = {
    config: { autocapture: false, rageclick: true, mask_all_text: false, mask_all_element_attributes: false, ...config } as Config,
    capture: (event: string, properties?: Properties) => void captured.push([event, properties!]) as never,
  }
  stops = [startRageClicks(host), ...(host.config.autocapture ? [startAutocapture(host)] : [])]
  return captured
}
const click = (selector: string, times = 3, x = 5) => {
  for (let index = 0; index < times; index++) document.querySelector(selector)!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, clientX: x, clientY: 5 }))
}
const at = (x: number, time: number) => ({ x, y: 0, at: time })

test.each([
  ['continues with a near, quick click', at(20, 500), 2],
  ['starts afresh when too far', at(30, 500), 1],
  ['starts afresh when too late', at(0, 1000), 1],
])('a run of clicks %s', (_, next, length) => expect(clickRun([at(0, 0)], next)).toHaveLength(length))

test('the third click in one spot is a rage click, the fourth is not another', () => {
  const captured = start('<button id="b">Broken</button>')
  click('#b', 2)
  expect(captured).toEqual([])
  click('#b', 2)
  expect(captured).toEqual([['$rageclick', expect.objectContaining({ $el_text: 'Broken', $event_type: 'click', $elements_chain: expect.stringContaining('button:') })]])
})

test('it is told before the click itself', () => {
  const captured = start('<button id="b">Broken</button>', { autocapture: true })
  click('#b')
  expect(captured.map(([event]) => event)).toEqual(['$autocapture', '$autocapture', '$rageclick', '$autocapture'])
})

test.each([
  ['the class ph-no-rageclick', '<div class="ph-no-rageclick"><button id="b">x</button></div>', true, 0],
  ['the class ph-no-capture', '<div class="ph-no-capture"><button id="b">x</button></div>', true, 0],
  ['a selector of css_selector_ignorelist', '<button id="b" class="stepper">x</button>', { css_selector_ignorelist: ['.stepper'] }, 0],
  ['a parent that matches css_selector_ignorelist', '<div class="stepper"><button id="b">x</button></div>', { css_selector_ignorelist: ['.stepper'] }, 0],
  ['an empty css_selector_ignorelist: no rage clicks at all', '<button id="b">x</button>', { css_selector_ignorelist: [] }, 0],
  ['content_ignorelist true: next', '<button id="b">Next page</button>', { content_ignorelist: true }, 0],
  ['content_ignorelist true: the aria-label previous', '<button id="b" aria-label="Previous">x</button>', { content_ignorelist: true }, 0],
  ['content_ignorelist true: >', '<button id="b">&gt;</button>', { content_ignorelist: true }, 0],
  ['content_ignorelist: own words', '<button id="b">Add one more</button>', { content_ignorelist: ['more'] }, 0],
])('left out: %s', (_, html, rageclick, count) => {
  const captured = start(html, { rageclick: rageclick as Config['rageclick'] })
  click('#b')
  expect(captured).toHaveLength(count)
})

test.each([
  ['a list of its own replaces the built-in one', '<button id="b" class="ph-no-rageclick">x</button>', { css_selector_ignorelist: ['.other'] }],
  ['content_ignorelist false looks at no text', '<button id="b">Next</button>', { content_ignorelist: false }],
  ['a word inside another is not that word', '<button id="b">Nextcloud</button>', { content_ignorelist: true }],
  ['what a region says does not speak for a control in it', '<div>Next<button id="b">x</button></div>', { content_ignorelist: true }],
])('counted: %s', (_, html, rageclick) => {
  const captured = start(html, { rageclick })
  click('#b')
  expect(captured).toHaveLength(1)
})

test.each([
  ['next', ['next'], true],
  ['the next one', ['NEXT'], true],
  ['nextcloud', ['next'], false],
  ['>', ['>'], true],
  ['a > b', ['>'], false],
])('%j says one of %j: %s', (text, words, expected) => expect(saysOneOf(text, words)).toBe(expected))

import type { RageclickConfig } from '../../src/types'
import { act, itIsAMember, namesOf, show, tableOf } from '../support/specRows'
import { listenToConsole, startAnalytics } from '../support/startAnalytics'

// The specification, "RageclickConfig", including the sentence above the table.
const { row, close } = tableOf('ph-no-rageclick', 'css_selector_ignorelist', 'content_ignorelist')

/** Returns whether three quick clicks on `#b` are a rage click. */
const isRage = async (html: string, rageclick?: RageclickConfig | boolean, more: object = {}) => {
  show(html)
  const { sent, settle } = startAnalytics({ rageclick, ...more })
  act('#b', 'click', 3)
  await settle()
  expect(namesOf(sent)).toEqual(sent.length ? ['$rageclick'] : [])
  return sent.length > 0
}
const button = (text: string, attributes = '') => `<button id="b" ${attributes}>${text}</button>`

row('ph-no-rageclick', () => {
  test.each([[undefined], [true], [{}], [{ content_ignorelist: false }]])(
    'excludes an element and its children: %j',
    async (rageclick) => {
      expect(await isRage(button('x', 'class="ph-no-rageclick"'), rageclick)).toBe(false)
      expect(await isRage(`<div class="ph-no-rageclick">${button('x')}</div>`, rageclick)).toBe(false)
      expect(await isRage(`<div class="ph-no-rageclick"></div>${button('x')}`, rageclick)).toBe(true)
    },
  )
  test('does not exclude an element from autocapture', async () => {
    show(button('x', 'class="ph-no-rageclick"'))
    const { sent, settle } = startAnalytics({ rageclick: true, autocapture: true })
    await settle()
    act('#b', 'click', 3)
    await settle()
    expect(namesOf(sent)).toEqual(['$autocapture', '$autocapture', '$autocapture'])
  })
})

row('css_selector_ignorelist', () => {
  itIsAMember('rageclick', 'css_selector_ignorelist', { wrong: ['.a', 5, null, {}, true, [5]], right: ['.a'] })

  test('uses the built-in list when undefined', async () => {
    expect(await isRage(button('x'), { css_selector_ignorelist: undefined })).toBe(true)
    expect(await isRage(button('x', 'class="ph-no-rageclick"'), { css_selector_ignorelist: undefined })).toBe(false)
  })
  test('excludes matching elements and elements with a matching parent', async () => {
    const rageclick = { css_selector_ignorelist: ['.a', '[data-stepper]'] }
    expect(await isRage(button('x', 'class="a"'), rageclick)).toBe(false)
    expect(await isRage(button('x', 'data-stepper'), rageclick)).toBe(false)
    expect(await isRage(`<div><div data-stepper><p>${button('x')}</p></div></div>`, rageclick)).toBe(false)
    expect(await isRage(button('x', 'class="b"'), rageclick)).toBe(true)
  })
  test('disables rage clicks when empty', async () =>
    expect(await isRage(button('x'), { css_selector_ignorelist: [] })).toBe(false))
  test('replaces the built-in list when set', async () =>
    expect(await isRage(button('x', 'class="ph-no-rageclick"'), { css_selector_ignorelist: ['.a'] })).toBe(true))
  test('ignores an invalid selector', async () =>
    expect(await isRage(button('x', 'class="a"'), { css_selector_ignorelist: ['!!', '.a'] })).toBe(false))
})

row('content_ignorelist', () => {
  itIsAMember('rageclick', 'content_ignorelist', { wrong: ['next', 5, null, {}, [5]], right: ['more'] })

  describe.each(['next', 'previous', 'prev', '&gt;', '&lt;'])('with the word %s', (word) => {
    test('excludes it as text when true', async () =>
      expect(await isRage(button(word), { content_ignorelist: true })).toBe(false))
    test('excludes it as aria-label when true', async () =>
      expect(await isRage(button('', `aria-label="${word}"`), { content_ignorelist: true })).toBe(false))
    test('ignores case when true', async () =>
      expect(await isRage(button(word.startsWith('&') ? word : word.toUpperCase()), { content_ignorelist: true })).toBe(
        false,
      ))
    test('does not exclude it when false', async () =>
      expect(await isRage(button(word), { content_ignorelist: false })).toBe(true))
  })
  test('does not exclude other words when true', async () =>
    expect(await isRage(button('Buy'), { content_ignorelist: true })).toBe(true))

  test('replaces the built-in words with an array', async () => {
    expect(await isRage(button('Load more'), { content_ignorelist: ['more'] })).toBe(false)
    expect(await isRage(button('', 'aria-label="More"'), { content_ignorelist: ['more'] })).toBe(false)
    expect(await isRage(button('next'), { content_ignorelist: ['more'] })).toBe(true)
  })
  test('excludes no words with an empty array', async () =>
    expect(await isRage(button('next'), { content_ignorelist: [] })).toBe(true))

  describe('with its limit of 10 items', () => {
    const ten = Array.from({ length: 10 }, (_, index) => `word${index}`)
    test('applies all 10 items', async () =>
      expect(await isRage(button('word9'), { content_ignorelist: ten })).toBe(false))
    test.each([
      ['unset', true],
      ['2025-11-30', false],
    ])(
      "ignores a list of 11 with one message and uses the default (defaults '%s': next counts: %p)",
      async (defaults, counts) => {
        const lines = listenToConsole('error')
        expect(await isRage(button('word9'), { content_ignorelist: [...ten, 'word10'] }, { defaults })).toBe(true)
        expect(lines).toEqual([expect.stringMatching(/content_ignorelist expects.*at most 10/)])
        expect(await isRage(button('next'), { content_ignorelist: [...ten, 'word10'] }, { defaults })).toBe(counts)
      },
    )
  })

  test.each(['+', '-', '\u2212', '\u2013'])('excludes the sign %s of a stepper from 2026-05-30 on', async (sign) => {
    expect(await isRage(button(sign), undefined, { defaults: '2026-05-29' })).toBe(true)
    expect(await isRage(button(sign), undefined, { defaults: '2026-05-30' })).toBe(false)
  })

  test.each([
    ['unset', true],
    ['2025-11-29', true],
    ['2025-11-30', false],
    ['2026-01-30', false],
  ])("with defaults '%s': next counts as a rage click: %p", async (defaults, counts) =>
    expect(await isRage(button('next'), undefined, { defaults })).toBe(counts),
  )
})

close()

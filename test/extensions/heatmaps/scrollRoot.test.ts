import { styleOf } from '../../../src/extensions/heatmaps/scrollRoot'

test('an element has no style on a page whose getComputedStyle throws, and the caller goes on', () => {
  expect(styleOf(document.body)?.display).toBe('block')
  const replaced = jest.spyOn(window, 'getComputedStyle').mockImplementation(() => {
    throw new TypeError('replaced by the page')
  })
  expect(styleOf(document.body)).toBeUndefined()
  replaced.mockRestore()
})

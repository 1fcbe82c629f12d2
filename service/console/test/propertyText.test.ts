import { cutText, linkOf, toText } from '../src/lib/propertyText.ts'

test('only property values that are http or https URLs are links', () => {
  expect(linkOf('https://example.com/a?b=1')).toBe('https://example.com/a?b=1')
  expect(['javascript:alert(1)', 'data:text/html,x', 'see https://a.b', 'https://', '//a.b'].map(linkOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('truncated text ends with a whole character', () => {
  expect(cutText('ab😀', 3)).toBe('ab')
  expect(cutText('ab😀', 4)).toBe('ab😀')
})

test('property values that are not strings are shown as JSON', () => {
  expect([toText('a'), toText({ a: [1] }), toText(null), toText(undefined)]).toEqual(['a', '{"a":[1]}', 'null', ''])
})

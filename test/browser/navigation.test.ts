import { onNavigate } from '../../src/browser/navigation'

const api = Object.assign(new EventTarget(), { currentEntry: {} })
beforeEach(() => void Object.assign(window, { navigation: api }))
afterEach(() => void Reflect.deleteProperty(window, 'navigation'))

test.each([
  ['push', ['pushState']],
  ['replace', ['replaceState']],
  ['traverse', ['popstate']],
  ['reload', ['popstate']],
  // Only the state of the entry was updated. The URL did not change.
  [null, []],
])('maps navigation type %s of the Navigation API to %j', (navigationType, expected) => {
  const received: string[] = []
  const stop = onNavigate((type) => received.push(type))
  api.dispatchEvent(Object.assign(new Event('currententrychange'), { navigationType }))
  stop()
  expect(received).toEqual(expected)
})

import { onNavigate } from '../../src/browser/navigation'

const api = Object.assign(new EventTarget(), { currentEntry: {} })
beforeEach(() => void Object.assign(window, { navigation: api }))
afterEach(() => void Reflect.deleteProperty(window, 'navigation'))

test.each([
  ['push', ['pushState']],
  ['replace', ['replaceState']],
  ['traverse', ['popstate']],
  ['reload', ['popstate']],
  // Only the entry's state was updated: the URL is the same.
  [null, []],
])("the Navigation API's %s is told as %j", (navigationType, told) => {
  const heard: string[] = []
  const stop = onNavigate((type) => heard.push(type))
  api.dispatchEvent(Object.assign(new Event('currententrychange'), { navigationType }))
  stop()
  expect(heard).toEqual(told)
})

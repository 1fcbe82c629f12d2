import { addProperties } from '../../src/pipeline/stages/addProperties'
import type { CapturedEvent, Properties } from '../../src/types'

let strong: Properties
let weak: Properties
const stage = addProperties(
  () => [strong, weak],
  () => ({ ofEvent: 'u', weak: 'of the event' }),
)
const fill = (properties: Properties) =>
  (stage({ uuid: 'u', event: 'e', properties, timestamp: new Date(0) }, {}) as CapturedEvent).properties

beforeEach(() => {
  strong = { shared: 'strong', list: ['a'] }
  weak = { shared: 'weak', weak: 1 }
})

test('properties of the event win, then the layers in order, then properties derived from the event', () => {
  expect(fill({ shared: 'own' })).toEqual({ shared: 'own', list: ['a'], weak: 1, ofEvent: 'u' })
  expect(fill({ ofEvent: null })).toEqual({ shared: 'strong', list: ['a'], weak: 1, ofEvent: null })
})

test('an event has none of the properties of the previous event', () => {
  fill({ first: 1, both: 1 })
  expect(fill({ both: 2 })).toEqual({ shared: 'strong', list: ['a'], weak: 1, both: 2, ofEvent: 'u' })
  weak = {}
  expect(fill({})).toEqual({ shared: 'strong', list: ['a'], weak: 'of the event', ofEvent: 'u' })
})

test('modifying one event does not change the next', () => {
  ;(fill({}).list as string[]).push('b')
  expect(fill({}).list).toEqual(['a'])
})

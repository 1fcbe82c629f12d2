import { MASK, maskJsonText, maskProperty, maskSensitive } from '../src/lib/sensitive.ts'

test('masks values with sensitive names at any depth, and keeps __proto__ as data', () => {
  const value = JSON.parse(
    '{"plan":"pro","userPassword":"a","deep":[{"API_TOKEN":1,"n":null}],"__proto__":{"secret":"b","x":1}}',
  ) as unknown
  expect(JSON.stringify(maskSensitive(value))).toBe(
    `{"plan":"pro","userPassword":"${MASK}","deep":[{"API_TOKEN":"${MASK}","n":null}],"__proto__":{"secret":"${MASK}","x":1}}`,
  )
  expect(maskProperty('Authorization', 'Bearer a')).toBe(MASK)
  expect(maskProperty('creditCard', { number: 1 })).toBe(MASK)
  expect(maskProperty('page', '/token')).toBe('/token')
})

test('masks sensitive values in JSON that is cut', () => {
  expect(maskJsonText('{"event":"a","password": "b\\"c","token":12,"secret":"not finish')).toBe(
    `{"event":"a","password": "${MASK}","token":"${MASK}","secret":"${MASK}"`,
  )
  expect(maskJsonText('{"secret":"a"}')).toBe(`{\n  "secret": "${MASK}"\n}`)
})

import { looksSensitive, withoutSensitive } from '../../src/lib/sensitive'

test.each([
  ['4111111111111111', true],
  ['4111 1111 1111 1111', true],
  ['5500-0000-0000-0004', true],
  ['340000000000009', true],
  ['6011000000000004', true],
  ['3530111333300000', true],
  ['30000000000004', true],
  ['123-45-6789', true],
  ['123456789', true],
  ['4111111111111112', false],
  ['12345678', false],
  ['order 4111', false],
  ['', false],
])('looksSensitive(%j) returns %s', (text, expected) => expect(looksSensitive(text)).toBe(expected))

test.each([
  ['Pay with 4111111111111111 now', 'Pay with now'],
  ['  two\n  lines ', 'two lines'],
  ['4111 1111 1111 1111', ''],
  ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', ''],
  ['12 4111 1111 1111 1111, thanks', '12 , thanks'],
  ['card:4111-1111-1111-1111.', 'card:.'],
  ['Amex 3400 000000 00009 or 30000000000004', 'Amex or'],
  ['4111 1111 1111 1111 5500 0000 0000 0004', ''],
  ['x4111111111111111y', 'xy'],
  ['order 4929384756102938', 'order 4929384756102938'],
  ['SSN 078-05-1120, order 1234567', 'SSN , order 1234567'],
])('withoutSensitive(%j) returns %j', (text, expected) => expect(withoutSensitive(text)).toBe(expected))

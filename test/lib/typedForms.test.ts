import { typing } from '../../src/browser/typing'
import { hideTyped } from '../../src/extensions/hideTyped'
import { repeats, typedForms } from '../../src/lib/typedForms'

const isFound = (typed: string, shown: string, language = 'en') => repeats(shown, typedForms(typed, language))

test.each([
  ['Ada.Lovelace@mail.org', 'Signed in as ada.lovelace@mail.org'],
  ['Ada.Lovelace@mail.org', 'mailto:ADA.LOVELACE%40MAIL.ORG?x'],
  ['Ada Lovelace', '/users/ada-lovelace'],
  ['Ada Lovelace', 'adaLovelace'],
  ['Ada Lovelace', 'Ada\u00a0\n  Lovelace'],
  ['adalovelace', 'Ada Lovelace'],
  ['Zoe\u0308 Strasse', 'ZOË STRAßE'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσεύς'],
  ['İstanbul', 'istanbul'],
  ['ﬁnance plan', 'Finance Plan'],
  ['ｆｕｌｌ ｗｉｄｔｈ', 'full width'],
  ["O'Neil", 'O’NEIL'],
  ['Jo-Ann', 'jo ann'],
  ['Jo-Ann Li', 'https://x.example/?u=https%3A%2F%2Fy.example%2F%3Fname%3DJo%252DAnn%252520Li'],
  ['Zoë Quinn', '{"name":"Zo\\u00eb\\nQuinn"}'],
  ['divorce lawyer', 'search?q=divorce+lawyer'],
  ['!@#$%^', 'it is !@#$%^'],
  ['🙂🙂🙂🙂', 'hello 🙂🙂🙂🙂'],
  ['a@b.c', 'mail A@B.C now'],
  // Phone numbers, cards, accounts.
  ['4155552671', '(415) 555-2671'],
  ['+1 415 555 2671', '(415) 555-2671'],
  ['(415) 555-2671', '+14155552671'],
  ['0171 5550123', '+49 (171) 555 0123'],
  ['0049 171 5550123', '0171/5550123'],
  ['+354 555 1234', '555-1234'],
  ['4242 4242 4242 4242', '4242424242424242'],
  ['4242424242424242', '4242-4242-4242-4242'],
  ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00'],
  ['12345', '12,345.00 €'],
  // Dates.
  ['1990-05-17', '17.05.1990'],
  ['1990-05-17', '5/17/1990'],
  ['1990-05-17', '05/17/90'],
  ['1990-05-17', 'Thursday, May 17, 1990'],
  ['17.5.1990', 'born 1990-05-17'],
  ['5/7/1990', '1990-05-07'],
  ['1990-05-17T10:30', 'May 17, 1990, 10:30 AM'],
])('%p typed is found in %p', (typed, shown) => {
  expect(isFound(typed, shown)).toBe(true)
})

test('a date is found with the name of its month in the language of the page', () => {
  expect(isFound('1990-05-17', '17. Mai 1990', 'de')).toBe(true)
  expect(isFound('1990-05-17', '17. Mai 1990', 'not a language')).toBe(false)
})

test.each([
  ['a', 'a banana'],
  ['1234', '12345'],
  ['there', 'the red shoes'],
  ['order', 'Sort: door der Stadt'],
  ['Q & A', 'no visa bank'],
  ['P@$$w', 'STOP WORRY'],
  ['12345', '12 apples, 345 pears'],
  ['1990-05-17', '17 of 1990, page 5'],
  ['-----', '- - -'],
  ['     ', 'two  spaces'],
  ['Ada Lovelace', 'Ada B. Lovelace'],
])('%p typed is not found in %p', (typed, shown) => {
  expect(isFound(typed, shown)).toBe(false)
})

test.each([
  ['Ada.Lovelace@mail.org', 'Hello ada.lovelace@mail.org!', 'Hello *****!'],
  ['Ada Lovelace', 'ADA-LOVELACE and Ada_Lovelace', '***** and *****'],
  ['(415) 555-2671', 'call +1 415-555-2671 now', 'call +1 ***** now'],
  ['1990-05-17', 'born May 17, 1990.', 'born *****.'],
  ['Zoe\u0308 Strasse', 'in ZOË STRAßE 5', 'in ***** 5'],
  ['divorce lawyer', '/search?q=divorce%20lawyer&page=2', '/search?q=*****&page=2'],
  ['Jo-Ann', '?name=Jo%252DAnn&x', '?name=*****&x'],
  ['ab@cd.e', 'ab@cd.e, AB CD E', '*****, *****'],
  ['a typed text', 'nothing of it', 'nothing of it'],
])('%p typed in %p is hidden: %p', (typed, shown, expected) => {
  expect(hideTyped(shown, typedForms(typed, 'en'), typing)).toBe(expected)
})

test('texts of any length and content are searched and hidden without an error', () => {
  const odd = ['\ud800', '%', '%zz', '%E9', '\\u12', '\\', '\0', '%25', 'x'.repeat(100_000), '%41'.repeat(10_000)]
  for (const typed of odd)
    for (const shown of odd) {
      const forms = typedForms(`${typed}abcde`)
      expect(hideTyped(`${shown} ${typed}abcde`, forms, typing)).not.toContain('abcde')
    }
})

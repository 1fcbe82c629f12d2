import { attempt } from './attempt'

// Escaped characters: bytes of URLs, also of URLs in URLs, and what JSON escapes.
const ESCAPED = /(?:%(?:25)*[\da-f]{2})+|\\u[\da-f]{4}|\\[nrt]/gi

const unescaped = (text: string): string =>
  text[0] === '%'
    ? (attempt(() => decodeURIComponent(text.replace(/%(25)+/g, '%'))) ?? text)
    : text[1] === 'u'
      ? String.fromCharCode(parseInt(text.slice(2), 16))
      : ' '

/**
 * Returns what formatting leaves of `text`: letters in upper case and without accents, digits and pictures, with one space
 * for everything between them. URL and JSON escapes are decoded.
 */
export const foldText = (text: string): string =>
  text
    .replace(ESCAPED, unescaped)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{So}]+/gu, ' ')

/**
 * Whether a form is searched for across spaces and punctuation: digits, or many letters. Fewer letters could be the end of
 * one word and the beginning of the next.
 */
export const isAcrossWords = (form: string): boolean => /^(\d+|[^ ]{8,})$/.test(form)

/** Returns the other orders of a date, and its forms with the name of the month in `language`. */
const formsOfDate = (text: string, language: string | undefined): string[] => {
  const [, first, second, third] = /^(\d{4}|\d\d?)\D+(\d\d?)\D+(\d{4}|\d\d?)(?!\d)/.exec(text) ?? []
  if (!third) return []
  const [year, other] = first![2] ? [first!, third] : [third, first!]
  const short = year.slice(-2)
  return [second!, other].flatMap((month, index, both) => {
    const day = both[1 - index]!
    const names = ['long', 'short'].map((style) =>
      attempt(() =>
        foldText(new Date(2000, +month - 1).toLocaleDateString(language, { month: style as 'long' })).trim(),
      ),
    )
    return [0, 2].flatMap((width) => {
      const [m, d] = [month, day].map((each) => String(+each).padStart(width, '0'))
      return [
        ...[year, short].flatMap((y) => [` ${y} ${m} ${d} `, ` ${d} ${m} ${y} `]),
        ...(+month < 13 ? names.flatMap((name) => [d + name! + year, name! + d + year]) : []),
      ]
    })
  })
}

// Shorter values are part of too many words.
const MIN_LENGTH = 5
// Longest prefix that national and international forms of a phone number differ in: 00 and the code of a country.
const PHONE_PREFIX = 5
const PHONE_DIGITS = 7

/**
 * Returns the forms in which a page may repeat what a person typed, for `repeats`: as it is, and without its formatting.
 * Numbers also without the prefix of a phone number, and dates in other orders.
 */
export const typedForms = (text: string, language?: string): string[] => {
  if (text.length < MIN_LENGTH) return []
  const spaced = foldText(text).trim()
  const letters = spaced.replace(/ /g, '')
  const digits = /^\d+$/.test(letters) ? letters : ''
  const prefixes = Array.from({ length: PHONE_PREFIX }, (_, index) => digits.slice(index + 1))
  return [
    text,
    letters.length < MIN_LENGTH ? ` ${spaced} ` : isAcrossWords(letters) ? letters : spaced,
    ...prefixes.filter(({ length }) => length >= PHONE_DIGITS),
    ...formsOfDate(text, language),
  ].filter((form) => form.trim())
}

/** Whether `text` contains one of `forms`. */
export const repeats = (text: string, forms: readonly string[]): boolean => {
  if (!forms.length) return false
  const spaced = foldText(` ${text} `)
  const letters = spaced.replace(/ /g, '')
  return forms.some((form) => text.includes(form) || (isAcrossWords(form) ? letters : spaced).includes(form))
}

/** Replaces each character except white space, so that the layout stays. */
export const stars = (text: string): string => text.replace(/\S/g, '*')

/** Stands for any value of an input: the length of a value can reveal it. */
export const MASKED_VALUE = '********'

/** Returns what a mask function of the site returns; `otherwise` if it throws or returns no string. */
export const callMask = <A extends unknown[]>(mask: (...args: A) => unknown, otherwise: string, ...args: A): string => {
  try {
    const result = mask(...args)
    return typeof result === 'string' ? result : otherwise
  } catch {
    return otherwise
  }
}

// Parts have a maximum length, so that long texts take linear time. E-mail addresses, UUIDs and other long hexadecimal
// numbers, characters escaped in URLs.
const DATA =
  /[\w.+-]{1,200}(?:@|%40)[\w-]{1,200}\.[\w.-]+|[\da-f]{8}-[\da-f]{4}-[\da-f-]{13,}|(?=[a-f]{0,200}\d)[\da-f]{16,}|(?:%[\da-f]{2}){3,}/gi
// Long integers. A number after a point is a fraction, six or eight digits after a hash are a color.
const NUMBER = /(^|[^.\d])(\d{7,})/g

// Another one on each page, so that hashes cannot be looked up.
const salt = Math.floor(Math.random() * 2 ** 31)

const hash = (text: string): string => {
  let value = salt
  for (let index = 0; index < text.length; index++) value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0
  return `x${(value >>> 0).toString(36)}`
}

/** Replaces what looks like data in a class, an id or CSS: the same text by the same hash, so that selectors still match. */
export const hashData = (text: string): string =>
  text
    .replace(DATA, hash)
    .replace(NUMBER, (whole, before: string, digits: string) =>
      before === '#' && digits.length === 8 ? whole : before + hash(digits),
    )

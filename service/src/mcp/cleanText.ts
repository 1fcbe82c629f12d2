/** Maximum characters of a value in an answer. */
const MAX_VALUE = 200
/** Number of characters to read per shown character, because masking can shorten a text. */
const READ_PER_SHOWN = 5
const MAX_LOCAL_PART = 64

// Control characters, and characters that are invisible or change the direction or form of others. They can hide text
// from a person who reads it.
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu

const escaped = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)

const LOCAL_PART = new RegExp(`[^\\s@,;:<>"'()[\\]{}/?&=]{1,${MAX_LOCAL_PART}}(?=@|%40)`, 'gi')

const masked = (text: string): string => (/@|%40/i.test(text) ? text.replace(LOCAL_PART, '***') : text)

/**
 * Returns a text from visitors in a form that is safe for a model: short, and without hidden characters and email
 * addresses. The text is data, so nothing in it is interpreted.
 */
export const cleanText = (text: string, most = MAX_VALUE): string => {
  const isLong = text.length > most * READ_PER_SHOWN
  const read = masked(isLong ? text.slice(0, most * READ_PER_SHOWN) : text)
  // The text may end within an email address.
  const clean = escaped(isLong ? read.slice(0, -MAX_LOCAL_PART) : read)
  return isLong || clean.length > most ? `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : clean
}

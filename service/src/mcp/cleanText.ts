/** Maximum characters of a value in an answer. */
const MAX_VALUE = 200
/** Characters that are read of a value: masking can make a text shorter. */
const MAX_READ = 1_000

// Control characters, and characters that are invisible or change the direction or form of others: they can hide text
// from the person who reads along.
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu

const escaped = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)

const LOCAL_PART = /[^\s@,;:<>"'()[\]{}/?&=]{1,64}(?=@|%40)/gi

const masked = (text: string): string => (/@|%40/i.test(text) ? text.replace(LOCAL_PART, '***') : text)

/**
 * Returns a text of visitors for a model to read: without hidden characters and mail addresses, and short. It is data, so
 * nothing of it is interpreted.
 */
export const cleanText = (text: string): string => {
  // The last word may be the beginning of a mail address.
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ).replace(/\S*$/, '') : text
  const clean = escaped(masked(read))
  return clean.length > MAX_VALUE || read.length < text.length
    ? `${clean.slice(0, MAX_VALUE - 1).replace(/[\ud800-\udbff]$/, '')}…`
    : clean
}

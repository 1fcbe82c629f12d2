import { attempt } from './guard'

let lastMs = 0
let counter = 0
/** What ids of `lastMs` begin with. Kept, because a burst has many in one millisecond. */
let prefix = '00000000-0000-'

const setTime = (ms: number) => {
  lastMs = ms
  const time = ms.toString(16).padStart(12, '0')
  prefix = `${time.slice(0, 8)}-${time.slice(8)}-`
}

// Random words for 63 ids: one `getRandomValues` call per id would double the cost of an id.
const words = new Uint32Array(189)
let unused = 0

const randomWord = (): number => {
  if (!unused) {
    unused = words.length
    // The page may have broken `crypto`. Weaker ids are better than none.
    if (!attempt(() => crypto.getRandomValues(words))) words.set(words.map(() => Math.random() * 2 ** 32))
  }
  return words[--unused]!
}

/**
 * Returns a UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, then a 12-bit counter that keeps ids of one millisecond in
 * order (§6.2 method 1), then 62 random bits. Ids stay in order if the clock steps back.
 */
export const uuidv7 = (now = Date.now()): string => {
  if (now > lastMs) {
    setTime(now)
    // The counter starts in its lower half, so that it does not overflow soon.
    counter = randomWord() & 0x7ff
  } else if (++counter > 0xfff) {
    setTime(lastMs + 1)
    counter = 0
  }
  // Starts with the variant's bits, 10, so it always has eight digits.
  const tail = ((randomWord() >>> 2) + 0x80000000).toString(16) + randomWord().toString(16).padStart(8, '0')
  return `${prefix}${(0x7000 + counter).toString(16)}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

/** Whether this is a UUID in the 8-4-4-4-12 form, of any version. */
export const isUuid = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

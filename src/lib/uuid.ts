const hex = (bytes: Uint8Array) => bytes.reduce((text, byte) => text + (byte + 256).toString(16).slice(1), '')

let lastMs = 0
let counter = 0

/**
 * A UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, then a 12-bit counter that keeps ids of one millisecond in
 * order (§6.2 method 1), then 62 random bits. A clock that steps back does not take the order with it.
 */
export const uuidv7 = (now = Date.now()): string => {
  const random = crypto.getRandomValues(new Uint8Array(10))
  if (now > lastMs) {
    lastMs = now
    // The counter starts in its lower half, so that it has room to count.
    counter = ((random[0]! << 8) | random[1]!) & 0x7ff
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  random[2] = (random[2]! & 0x3f) | 0x80
  const tail = hex(random.subarray(2))
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

/** Whether this is an id in the 8-4-4-4-12 form, of any version. */
export const isUuid = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

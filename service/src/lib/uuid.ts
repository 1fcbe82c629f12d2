import { randomBytes } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` is a UUID in its usual form of 36 characters, of any version. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text)

/** A new UUID of version 7: sorts by `time`, ms since the epoch. */
export const uuidv7 = (time = Date.now(), random = randomBytes(10)): string => {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(time, 0, 6)
  random.copy(bytes, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

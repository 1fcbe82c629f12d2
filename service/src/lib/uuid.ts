import { randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` is a UUID in its usual form of 36 characters, of any version. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text)

/** A new UUID of version 7: sorts by `time`, ms since the epoch. */
export const uuidv7 = (time = Date.now()): string => {
  const hex = time.toString(16).padStart(12, '0')
  // Node has the random bytes of one of version 4 at hand; to ask for ten of them costs more than all the rest.
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}

import { randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns whether `text` is a UUID of any version, with 36 characters. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text)

/** Generates a UUID of version 7, which sorts by `time`, in ms since the epoch. */
export const uuidv7 = (time = Date.now()): string => {
  const hex = time.toString(16).padStart(12, '0')
  // `randomUUID` uses cached random bytes. Requesting ten bytes would take longer than everything else here.
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}

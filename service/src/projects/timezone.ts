// Names that lead to another one (Asia/Kolkata) stay as they are written, so their case has to be right.
const WRITTEN_RIGHT = /^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*)*$/

/** The IANA name that `name` is, in its usual spelling; `undefined` if it is none. */
export const toTimezone = (name: string): string | undefined => {
  if (!/^[A-Za-z]/.test(name)) return undefined // an offset such as +02:00 knows no summer
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    if (timeZone.toLowerCase() === name.toLowerCase()) return timeZone
    return WRITTEN_RIGHT.test(name) ? name : undefined
  } catch {
    return undefined // the runtime does not know it
  }
}

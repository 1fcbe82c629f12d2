// Names of links (such as Asia/Kolkata) are kept as written, so their case must be right.
const WRITTEN_RIGHT = /^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*)*$/

/** Returns an IANA time zone in its canonical case. `undefined`: not a time zone. */
export const toTimezone = (name: string): string | undefined => {
  if (!/^[A-Za-z]/.test(name)) return undefined // an offset such as +02:00 has no daylight saving time
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    if (timeZone.toLowerCase() === name.toLowerCase()) return timeZone
    return WRITTEN_RIGHT.test(name) ? name : undefined
  } catch {
    return undefined // unknown to the runtime
  }
}

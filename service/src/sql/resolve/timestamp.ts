const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

const offsetMinutes = (zone: string | undefined): number => {
  if (!zone || /^z$/i.test(zone)) return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)]
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Converts an ISO date or timestamp to ClickHouse's `YYYY-MM-DD hh:mm:ss.mmm` in UTC. Without an offset it is in UTC. Returns `undefined`
 * for another format, a day that does not exist, or a year outside 1900–2299, which the engine would silently store as another day.
 */
export const timestampOf = (written: string): string | undefined => {
  const match = TIMESTAMP.exec(written.trim())
  if (!match) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone] = match
  const asWritten = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
  const at = Date.parse(asWritten)
  if (Number.isNaN(at) || new Date(at).toISOString() !== asWritten) return undefined
  const inUtc = new Date(at - offsetMinutes(zone) * 60_000)
  const inYear = inUtc.getUTCFullYear()
  return inYear >= 1900 && inYear <= 2299 ? inUtc.toISOString().replace('T', ' ').replace('Z', '') : undefined
}

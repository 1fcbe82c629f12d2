import { own } from '../../lib/own.ts'
import { fieldsOf, given, pageOf, type Source, textOf, timeOf } from './source.ts'

const NAMES: Readonly<Record<string, string>> = {
  '[Amplitude] Page Viewed': '$pageview',
  '[Amplitude] Element Clicked': '$autocapture',
  $identify: '$set',
}
const LEFT_OUT = new Set(['session_start', 'session_end'])

/** Lines of Amplitude's export. */
export const AMPLITUDE: Source = {
  name: 'amplitude',
  what: 'the export: a zip of JSON lines with gzip',
  read(row) {
    const type = textOf(row.event_type)
    if (type === undefined) return 'no_event'
    if (LEFT_OUT.has(type)) return 'left_out'
    const device = textOf(row.device_id)
    const distinctId = textOf(row.user_id) ?? (device && `amplitude:${device}`)
    if (distinctId === undefined) return 'no_person'
    const timestamp = timeOf(row.event_time)
    if (timestamp === undefined) return 'no_time'
    const event = fieldsOf(row.event_properties)
    const person = fieldsOf(row.user_properties)
    const session = Number(row.session_id)
    return {
      event: own(NAMES, type) ?? type,
      distinctId,
      timestamp,
      properties: given({
        ...event,
        ...pageOf(event['[Amplitude] Page URL']),
        $os: row.os_name,
        $device_type: row.device_type,
        $app_version: row.version_name,
        $geoip_country_name: row.country,
        $geoip_subdivision_1_name: row.region,
        $geoip_city_name: row.city,
        // -1: outside of a session.
        $amplitude_session_id: session > 0 ? session : undefined,
        $set: Object.keys(person).length ? person : undefined,
      }),
      ...(textOf(row.uuid) ? { key: textOf(row.uuid)! } : {}),
    }
  },
}

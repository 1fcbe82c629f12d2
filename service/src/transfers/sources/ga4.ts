import { own } from '../../lib/own.ts'
import type { Fields } from '../../lib/fields.ts'
import { fieldsOf, given, pageOf, type Source, textOf } from './source.ts'

const NAMES: Readonly<Record<string, string>> = { page_view: '$pageview' }
const LEFT_OUT = new Set(['session_start', 'first_visit', 'user_engagement'])

/** Returns the parameters of an event. Each has several typed values, only one of which is set. */
const paramsOf = (list: unknown): Fields =>
  Object.fromEntries(
    (Array.isArray(list) ? list : []).flatMap((each) => {
      const { key, value } = fieldsOf(each)
      const { string_value: text, int_value: whole, float_value: float, double_value: double } = fieldsOf(value)
      const number = whole ?? double ?? float
      const found = text ?? (number === undefined || number === null ? undefined : Number(number))
      return typeof key === 'string' && found !== undefined && found !== null ? [[key, found]] : []
    }),
  )

/** Rows of the daily tables that GA4 writes to BigQuery. */
export const GA4: Source = {
  name: 'ga4',
  what: 'tables events_YYYYMMDD of BigQuery: JSON lines',
  read(row) {
    const name = textOf(row.event_name)
    if (name === undefined) return 'no_event'
    if (LEFT_OUT.has(name)) return 'left_out'
    const pseudo = textOf(row.user_pseudo_id)
    const distinctId = textOf(row.user_id) ?? (pseudo && `ga4:${pseudo}`)
    if (distinctId === undefined) return 'no_person'
    const micros = Number(row.event_timestamp)
    if (!row.event_timestamp || !Number.isFinite(micros)) return 'no_time'
    const { page_location, page_referrer, page_title, ...params } = paramsOf(row.event_params)
    const [device, geo] = [fieldsOf(row.device), fieldsOf(row.geo)]
    return {
      event: own(NAMES, name) ?? name,
      distinctId,
      timestamp: Math.floor(micros / 1_000),
      properties: given({
        ...params,
        ...pageOf(page_location),
        $title: page_title,
        $referrer: page_referrer,
        $browser: fieldsOf(device.web_info).browser,
        $os: device.operating_system,
        $device_type: device.category,
        $geoip_country_name: geo.country,
        $geoip_subdivision_1_name: geo.region,
        $geoip_city_name: geo.city,
      }),
    }
  },
}

import { own } from '../../lib/own.ts'
import { fieldsOf, given, pageOf, type Source, textOf } from './source.ts'

const NAMES: Readonly<Record<string, string>> = { $mp_web_page_view: '$pageview' }

// Times before this are seconds.
const FIRST_MS = 100_000_000_000

/** Lines of Mixpanel's raw export. */
export const MIXPANEL: Source = {
  name: 'mixpanel',
  what: 'the raw export: JSON lines',
  read(row) {
    const { time, distinct_id, $insert_id, mp_country_code, $city, $region, current_url, ...rest } = fieldsOf(
      row.properties,
    )
    const event = textOf(row.event)
    const distinctId = textOf(distinct_id)
    const at = Number(time)
    if (event === undefined) return 'no_event'
    if (distinctId === undefined) return 'no_person'
    if (time === undefined || !Number.isFinite(at)) return 'no_time'
    const url = rest.$current_url ?? current_url
    return {
      event: own(NAMES, event) ?? event,
      distinctId,
      timestamp: at < FIRST_MS ? at * 1_000 : at,
      properties: given({
        ...rest,
        ...pageOf(url),
        $geoip_country_code: mp_country_code,
        $geoip_city_name: $city,
        $geoip_subdivision_1_name: $region,
      }),
      ...(textOf($insert_id) ? { key: JSON.stringify([event, distinctId, time, $insert_id]) } : {}),
    }
  },
}

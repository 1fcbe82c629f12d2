import { own } from '../../lib/own.ts'
import { given, objectOf, pageOf, type Source, textOf, timeOf } from './source.ts'

// website_event.event_type
const PAGE_VIEW = '1'
const CUSTOM_EVENT = '2'

const DEVICES: Readonly<Record<string, string>> = {
  desktop: 'Desktop',
  laptop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
}

const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const

/** Returns the address of a row, which has its parts in columns. A row without a host has a path only. */
const addressOf = (row: Readonly<Record<string, unknown>>) => {
  const [host, path, query] = [textOf(row.hostname), textOf(row.url_path), textOf(row.url_query)]
  if (path === undefined) return {}
  const page = host && pageOf(`https://${host}${path}${query ? `?${query}` : ''}`)
  return page || { $pathname: path }
}

/** Rows of Umami's table website_event, joined with session, as its database exports them. Its API has the same fields in camel case. */
export const UMAMI: Source = {
  name: 'umami',
  what: 'table website_event joined with session: CSV or JSON lines',
  read(raw) {
    // The API has camel case.
    const row = Object.fromEntries(
      Object.entries(raw).map(([name, value]) => [name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`), value]),
    )
    const type = textOf(row.event_type)
    const isPageView = type === PAGE_VIEW
    if (!isPageView && type !== CUSTOM_EVENT && type !== undefined) return 'left_out'
    const event = isPageView ? '$pageview' : textOf(row.event_name)
    if (event === undefined) return 'no_event'
    const session = textOf(row.session_id)
    const distinctId = textOf(row.distinct_id) ?? (session && `umami:${session}`)
    if (distinctId === undefined) return 'no_person'
    const timestamp = timeOf(row.created_at)
    if (timestamp === undefined) return 'no_time'
    const data = objectOf(row.event_data)
    if (!data) return 'invalid_properties'
    const referrer = textOf(row.referrer_domain)
    const id = textOf(row.event_id) ?? textOf(row.id)
    return {
      event,
      distinctId,
      timestamp,
      properties: given({
        ...data,
        ...addressOf(row),
        ...Object.fromEntries(UTM.map((name) => [name, row[name]])),
        $title: row.page_title,
        $referrer: referrer && `https://${referrer}${textOf(row.referrer_path) ?? '/'}`,
        $referring_domain: referrer,
        $browser: row.browser,
        $os: row.os,
        $device_type: own(DEVICES, textOf(row.device) ?? ''),
        $browser_language: row.language,
        $geoip_country_code: row.country,
        $geoip_subdivision_1_name: row.region ?? row.subdivision1,
        $geoip_city_name: row.city,
        $umami_visit_id: row.visit_id,
      }),
      ...(id ? { key: id } : {}),
    }
  },
}

import type { Fields } from '../../lib/fields.ts'
import { fieldsOf, given, isFields, pageOf, type Source, textOf } from './source.ts'

const MAX_ACTIONS = 5_000

/** Returns the name of an action's event. */
const nameOf = (type: string | undefined, action: Fields): string | undefined =>
  type === 'action' ? '$pageview' : type === 'event' ? (textOf(action.eventAction) ?? type) : type

/**
 * Returns the key of an action. Without an id, it is the position in the visit, because visits only grow at the end.
 */
const keyOf = (visit: Fields, action: Fields, at: unknown): string =>
  JSON.stringify([
    visit.idSite,
    visit.idVisit,
    action.type,
    action.timestamp,
    action.pageId ?? action.goalPageId ?? action.orderId ?? at,
  ])

/** Visits of Matomo's API, each with its actions. */
export const MATOMO: Source = {
  name: 'matomo',
  what: 'visits of the API method Live.getLastVisitsDetails: JSON lines',
  parts(visit) {
    const actions = visit.actionDetails
    if (!Array.isArray(actions)) return 'no_event'
    if (actions.length > MAX_ACTIONS) return 'too_many_actions'
    return actions.map((action: unknown, at) => ({ visit, action, at }))
  },
  read({ visit: rawVisit, action: rawAction, at }) {
    if (!isFields(rawAction)) return 'not_an_object'
    const [visit, action] = [fieldsOf(rawVisit), rawAction]
    const event = nameOf(textOf(action.type), action)
    if (event === undefined) return 'no_event'
    const visitor = textOf(visit.visitorId)
    const distinctId = textOf(visit.userId) ?? (visitor && `matomo:${visitor}`)
    if (distinctId === undefined) return 'no_person'
    // Seconds in UTC. The other times are in the zone of the site.
    const seconds = Number(action.timestamp)
    if (!action.timestamp || !Number.isFinite(seconds)) return 'no_time'
    return {
      event,
      distinctId,
      timestamp: seconds * 1_000,
      properties: given({
        ...pageOf(action.url),
        $title: action.pageTitle,
        $referrer: visit.referrerUrl,
        $browser: visit.browserName,
        $os: visit.operatingSystemName,
        $device_type: visit.deviceType,
        $browser_language: visit.languageCode,
        $geoip_country_code: textOf(visit.countryCode)?.toUpperCase(),
        $geoip_country_name: visit.country,
        $geoip_subdivision_1_name: visit.region,
        $geoip_city_name: visit.city,
        $matomo_visit_id: visit.idVisit,
        event_category: action.eventCategory,
        event_name: action.eventName,
        event_value: action.eventValue,
        goal_name: action.goalName,
        order_id: action.orderId,
        revenue: action.revenue,
        search_keyword: action.siteSearchKeyword,
      }),
      key: keyOf(visit, action, at),
    }
  },
}

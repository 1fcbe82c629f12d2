import { call, infix, type Sql, text } from '../../../sql/catalog/physical.ts'
import { type SessionRows, VIEWS } from '../../../sql/catalog/sessions.ts'
import { every } from '../source.ts'
import type { Visits } from './visits.ts'

/** Values of a web table's rows: one for each session, or one for each of a session's events that `isCounted`. */
export type Breakdown =
  | { readonly of: 'session'; readonly value: (sessions: SessionRows) => Sql }
  | {
      readonly of: 'event'
      readonly value: (visits: Visits) => Sql
      readonly isCounted: (visits: Visits) => Sql
      /** Whether events without a value are no row. */
      readonly omitsMissing?: true
    }

const column = (wanted: string): Breakdown => ({
  of: 'session',
  value: (sessions) => sessions.column(wanted)!.read(),
})

/** The value of an event property of each matching view. */
const ofViews = (property: string): Breakdown => ({
  of: 'event',
  value: ({ eventProperty }) => eventProperty(property),
  isCounted: ({ isMatch }) => isMatch,
})

/** The value of an event property of each event named `event`; of a view, only if it matches. */
const ofEvents = (event: string, property: string): Breakdown => ({
  of: 'event',
  value: ({ eventProperty }) => eventProperty(property),
  isCounted: ({ sessions, isMatch }) => {
    const isNamed = infix(sessions.row('event'), '=', text(event))
    return (VIEWS as readonly string[]).includes(event) ? every([isNamed, isMatch]) : isNamed
  },
  omitsMissing: true,
})

const NONE = text('(none)')

/** The breakdowns of a web table, by the names of PostHog's. */
export const BREAKDOWNS = {
  Page: { ...ofEvents('$pageview', '$pathname') },
  InitialPage: column('$entry_pathname'),
  ExitPage: column('$exit_pathname'),
  PreviousPage: ofEvents('$pageview', '$prev_pageview_pathname'),
  ExitClick: ofEvents('$autocapture', '$external_click_url'),
  ScreenName: ofEvents('$screen', '$screen_name'),
  InitialChannelType: column('$channel_type'),
  InitialReferringDomain: column('$entry_referring_domain'),
  InitialReferringURL: { of: 'session', value: (sessions) => sessions.arrival('$referrer') },
  InitialUTMSource: column('$entry_utm_source'),
  InitialUTMCampaign: column('$entry_utm_campaign'),
  InitialUTMMedium: column('$entry_utm_medium'),
  InitialUTMTerm: column('$entry_utm_term'),
  InitialUTMContent: column('$entry_utm_content'),
  InitialUTMSourceMediumCampaign: {
    of: 'session',
    value: (sessions) =>
      call(
        'arrayStringConcat',
        call(
          'array',
          ...['source', 'medium', 'campaign'].map((part) =>
            call('ifNull', sessions.column(`$entry_utm_${part}`)!.read(), NONE),
          ),
        ),
        text(' / '),
      ),
  },
  Browser: ofViews('$browser'),
  OS: ofViews('$os'),
  Viewport: {
    of: 'event',
    value: ({ eventProperty }) =>
      call('concat', eventProperty('$viewport_width'), text('x'), eventProperty('$viewport_height')),
    isCounted: ({ isMatch }) => isMatch,
  },
  DeviceType: ofViews('$device_type'),
  Country: ofViews('$geoip_country_code'),
  Region: ofViews('$geoip_subdivision_1_name'),
  City: ofViews('$geoip_city_name'),
  Timezone: ofViews('$timezone'),
  Language: ofViews('$browser_language'),
} as const satisfies Readonly<Record<string, Breakdown>>

export type BreakdownName = keyof typeof BREAKDOWNS

export const BREAKDOWN_NAMES = Object.keys(BREAKDOWNS) as readonly BreakdownName[]

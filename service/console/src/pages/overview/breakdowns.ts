import { languageName, regionName } from '../../lib/format.ts'
import type { PropertyType } from '../../lib/filters.ts'

/** A way to split the sessions, which is one tab of a panel. */
export interface Breakdown {
  /** `breakdownBy` of `WebStatsTableQuery`. */
  readonly by: string
  readonly label: string
  /** Filter that a click on a row sets. */
  readonly filter: { readonly type: PropertyType; readonly key: string }
  /** Returns the display name of a value. */
  readonly display?: (value: string) => string
  readonly hasBounceRate?: true
}

export interface Panel {
  readonly name: string
  readonly title: string
  readonly breakdowns: readonly Breakdown[]
}

const event = (key: string) => ({ type: 'event' as const, key })
const session = (key: string) => ({ type: 'session' as const, key })

export const PANELS: readonly Panel[] = [
  {
    name: 'pages',
    title: 'Pages',
    breakdowns: [
      { by: 'Page', label: 'Pages', filter: event('$pathname'), hasBounceRate: true },
      { by: 'InitialPage', label: 'Entry pages', filter: session('$entry_pathname'), hasBounceRate: true },
      { by: 'ExitPage', label: 'Exit pages', filter: session('$exit_pathname') },
    ],
  },
  {
    name: 'sources',
    title: 'Sources',
    breakdowns: [
      { by: 'InitialChannelType', label: 'Channels', filter: session('$channel_type') },
      { by: 'InitialReferringDomain', label: 'Sources', filter: session('$entry_referring_domain') },
      { by: 'InitialUTMCampaign', label: 'Campaigns', filter: session('$entry_utm_campaign') },
      { by: 'InitialUTMSource', label: 'UTM sources', filter: session('$entry_utm_source') },
      { by: 'InitialUTMMedium', label: 'UTM media', filter: session('$entry_utm_medium') },
    ],
  },
  {
    name: 'locations',
    title: 'Locations',
    breakdowns: [
      { by: 'Country', label: 'Countries', filter: event('$geoip_country_code'), display: regionName },
      { by: 'Region', label: 'Regions', filter: event('$geoip_subdivision_1_name') },
      { by: 'City', label: 'Cities', filter: event('$geoip_city_name') },
      { by: 'Language', label: 'Languages', filter: event('$browser_language'), display: languageName },
    ],
  },
  {
    name: 'devices',
    title: 'Devices',
    breakdowns: [
      { by: 'DeviceType', label: 'Devices', filter: event('$device_type') },
      { by: 'Browser', label: 'Browsers', filter: event('$browser') },
      { by: 'OS', label: 'Systems', filter: event('$os') },
    ],
  },
]

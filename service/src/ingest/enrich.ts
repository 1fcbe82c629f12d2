import type { Fields } from '../lib/fields.ts'
import { botOf } from './bots.ts'
import type { PlaceOf } from './places.ts'

/** Client of an event, and what its enrichment looks up. */
export interface Origin {
  /** Client IP. Used to look up the place; never stored. */
  readonly address: string
  readonly placeOf: PlaceOf
}

const asString = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const NOTHING: Fields = {}
const BROWSER: Fields = { $browser_type: 'browser' }

// A client that identifies as a bot is a bot. Otherwise, the list decides.
const browserOf = (properties: Fields): Fields => {
  const userAgent = asString(properties.$raw_user_agent)
  if (userAgent === undefined) return NOTHING
  const bot = botOf(userAgent)
  if (!bot && properties.$browser_type !== 'bot') return BROWSER
  return { $browser_type: 'bot', ...(bot ? { $bot_name: bot.name, $bot_category: bot.category } : {}) }
}

// A backend's IP is not its visitor's: it sends `$geoip_disable`, or the visitor's IP as `$ip`.
const placeOf = (properties: Fields, { address, placeOf: find }: Origin): Fields => {
  // An import is not sent from where its visitors were.
  const isElsewhere = properties.$geoip_disable === true || properties.$import_id !== undefined
  if (isElsewhere || properties.$geoip_country_code !== undefined) return NOTHING
  const place = find(asString(properties.$ip) ?? address)
  if (!place) return NOTHING
  const { country, region, city } = place
  return {
    ...(country === undefined ? NOTHING : { $geoip_country_code: country }),
    ...(region === undefined ? NOTHING : { $geoip_subdivision_1_name: region }),
    ...(city === undefined ? NOTHING : { $geoip_city_name: city }),
  }
}

/** Returns the properties that the service adds to each event: browser or bot, and the place. */
export const enrich = (properties: Fields, origin: Origin): Fields => ({
  ...browserOf(properties),
  ...placeOf(properties, origin),
})

import { botOf } from './bots.ts'
import type { CountryOf } from './countries.ts'

type Fields = Readonly<Record<string, unknown>>

/** Where a delivery came from. */
export interface Origin {
  /** Client IP. Used to look up the country; never stored. */
  readonly address: string
  readonly countryOf: CountryOf
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const NOTHING: Fields = {}
const BROWSER: Fields = { $browser_type: 'browser' }

// What the client says of itself counts; what it cannot know, or says to its advantage, the list does.
const browserOf = (properties: Fields): Fields => {
  const userAgent = asText(properties.$raw_user_agent)
  if (userAgent === undefined) return NOTHING
  const bot = botOf(userAgent)
  if (!bot && properties.$browser_type !== 'bot') return BROWSER
  return { $browser_type: 'bot', ...(bot ? { $bot_name: bot.name, $bot_category: bot.category } : {}) }
}

// A backend's address is not its visitor's: it says `$geoip_disable`, or whose event it is by `$ip`.
const countryOf = (properties: Fields, { address, countryOf }: Origin): Fields => {
  if (properties.$geoip_disable === true || properties.$geoip_country_code !== undefined) return NOTHING
  const country = countryOf(asText(properties.$ip) ?? address)
  return country === undefined ? NOTHING : { $geoip_country_code: country }
}

/** What the service knows of an event besides what the event says: whether a program sent it, and from which country. */
export const enrich = (properties: Fields, origin: Origin): Fields => ({
  ...browserOf(properties),
  ...countryOf(properties, origin),
})

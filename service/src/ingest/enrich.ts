import { exceptionsOf } from '../errorTracking/exceptions.ts'
import { stackIdOf } from '../errorTracking/fingerprint.ts'
import { type CompiledRule, possibleRules } from '../errorTracking/matchRules.ts'
import { botOf } from './bots.ts'
import type { CountryOf } from './countries.ts'

type Fields = Readonly<Record<string, unknown>>

/** Client of an event, and what its enrichment looks up. */
export interface Origin {
  /** Client IP. Used to look up the country; never stored. */
  readonly address: string
  readonly countryOf: CountryOf
  /** Rules of its project that group exceptions. */
  readonly rules: readonly CompiledRule[]
}

const asString = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const NOTHING: Fields = {}
const BROWSER: Fields = { $browser_type: 'browser' }

// A client that identifies as a bot is one. Otherwise the list decides.
const browserOf = (properties: Fields): Fields => {
  const userAgent = asString(properties.$raw_user_agent)
  if (userAgent === undefined) return NOTHING
  const bot = botOf(userAgent)
  if (!bot && properties.$browser_type !== 'bot') return BROWSER
  return { $browser_type: 'bot', ...(bot ? { $bot_name: bot.name, $bot_category: bot.category } : {}) }
}

// A backend's IP is not its visitor's: it sends `$geoip_disable`, or the visitor's IP as `$ip`.
const countryOf = (properties: Fields, { address, countryOf }: Origin): Fields => {
  if (properties.$geoip_disable === true || properties.$geoip_country_code !== undefined) return NOTHING
  const country = countryOf(asString(properties.$ip) ?? address)
  return country === undefined ? NOTHING : { $geoip_country_code: country }
}

// Removes what a client sent under these names.
const NO_STACK: Fields = { $exception_stack: undefined, $exception_rules: undefined }

/** Returns the id of an exception's stack, by which issues are found, and the rules that may decide its issue (`errorTracking/`). */
const stackOf = (properties: Fields, { rules: all }: Origin): Fields => {
  const { $exception_list: list, $exception_fingerprint: given } = properties
  if (!Array.isArray(list) || !list.length)
    return '$exception_stack' in properties || '$exception_rules' in properties ? NO_STACK : NOTHING
  const exceptions = exceptionsOf(list)
  const rules = asString(given) === undefined ? possibleRules(all, exceptions) : []
  return {
    ...NO_STACK,
    $exception_stack: stackIdOf(exceptions, { given, rules }),
    ...(rules.length ? { $exception_rules: rules.map(({ id }) => id) } : {}),
  }
}

/** Returns the properties that the service adds to an event: browser or bot, the country, and what issues are found by. */
export const enrich = (properties: Fields, origin: Origin): Fields => ({
  ...browserOf(properties),
  ...countryOf(properties, origin),
  ...stackOf(properties, origin),
})

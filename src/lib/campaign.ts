import type { Config, Properties } from '../types'
import { memo } from './memo'
import { has, objectOf, pick } from './objects'
import { redactUrls } from './redact'
import { hostOf, urlOf } from './url'

// docs/reference/protocol.md#5.7: campaign parameters, then click ids of advertisers, each of which identifies a visitor.
export const CAMPAIGN =
  'utm_source utm_medium utm_campaign utm_content utm_term gad_source mc_cid gclid gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id igshid ttclid rdt_cid epik qclid sccid irclid _kx'.split(
    ' ',
  )
const CLICK_IDS = CAMPAIGN.slice(7)

/** Options that limit what is captured of URLs and campaigns. */
export type UrlOptions = Partial<
  Pick<
    Config,
    | 'custom_campaign_params'
    | 'disable_capture_url_hashes'
    | 'mask_personal_data_properties'
    | 'custom_personal_data_properties'
  >
>

const MASKED = '<masked>'
const NO_NAMES: readonly string[] = []

const idsAnd = memo((custom: readonly string[]) => [...CLICK_IDS, ...custom])
/** Returns the names of the URL parameters whose values the options mask: click ids and the site's own. */
const namesOf = ({ mask_personal_data_properties, custom_personal_data_properties }: UrlOptions) =>
  mask_personal_data_properties ? idsAnd(custom_personal_data_properties ?? NO_NAMES) : NO_NAMES

/** Matches these parameters of URLs, also of a URL within a parameter. */
const parameters = memo((names: readonly string[]) => {
  const quoted = names.flatMap((name) => [name, encodeURIComponent(name)]).map((name) => name.replace(/\W/g, '\\$&'))
  return new RegExp(`((?:[?&#;]|%(?:25)*(?:3F|26|23))(?:${quoted.join('|')})(?:=|%(?:25)*3D))[^&#\\s"\\\\]*`, 'gi')
})

/** Returns `text` without the values of the parameters that the options mask. */
const withoutParameters = (text: string, options: UrlOptions): string => {
  const names = namesOf(options)
  return names.length && /=|3D/i.test(text) ? text.replace(parameters(names), `$1${MASKED}`) : text
}

/** Returns `text` without what the options exclude from the URLs in it. Hashes are only removed from text of the page. */
export const permittedText = (text: string, options: UrlOptions, isOfPage?: boolean): string =>
  withoutParameters(
    isOfPage && options.disable_capture_url_hashes
      ? text.replace(/#[^\s"<>\\]*/g, (hash, at: number) =>
          // Not the number of an issue, a color or a tag.
          /[/?=]/.test(
            text
              .slice(0, at)
              .split(/[\s"<>]/)
              .pop()!,
          )
            ? ''
            : hash,
        )
      : text,
    options,
  )

/** Returns a URL without what the options exclude: its hash, and values of click ids and of the site's own parameters. */
export const permittedUrl = (url: string, options: UrlOptions): string =>
  withoutParameters(options.disable_capture_url_hashes ? url.replace(/#[^]*/, '') : url, options)

/** Returns a URL as it may leave the page: what the options permit of it, without secrets. */
export const outgoingUrl = (url: string, options: UrlOptions): string => redactUrls(permittedUrl(url, options))

/**
 * Returns text of the page as it may leave the page: with what the options permit of its URLs, without secrets.
 * `keepsHashes`: hashes name parts of a file, such as icons.
 */
export const outgoingText = (text: string, options: UrlOptions, keepsHashes?: boolean): string =>
  redactUrls(permittedText(text, options, !keepsHashes))

/** Returns stored campaign values, with those masked that the options mask. */
export const permittedCampaign = (values: Properties, options: UrlOptions): Properties => {
  const masked = namesOf(options).filter(
    (name) => values[name] && has(noCampaign(options.custom_campaign_params), name),
  )
  return masked.length ? { ...values, ...objectOf(masked, () => MASKED) } : values
}

const SEARCH_NAMES = ['$search_engine', 'ph_keyword']

/** Returns all campaign and search properties without values, because an arrival replaces all values of the previous one. */
export const noCampaign = (custom: readonly string[] = []): Record<string, undefined> =>
  objectOf([...CAMPAIGN, ...custom, ...SEARCH_NAMES], () => undefined)

/** Returns the campaign parameters in `url`, including `custom` ones, without absent ones. */
export const campaignOf = (url: string, custom: readonly string[] = []): Record<string, string> => {
  const query = urlOf(url)?.searchParams
  return pick(
    objectOf([...CAMPAIGN, ...custom], (name) => query?.get(name) ?? ''),
    (_, value) => value,
  )
}

const SEARCH = /^(?:www\.)?(google|bing|yahoo|duckduckgo)\./

/** Returns `$search_engine`, and `ph_keyword` if the referrer contains it. */
export const searchOf = (referrer: string): Record<string, string> => {
  const engine = SEARCH.exec(hostOf(referrer).replace(/^search\./, ''))?.[1]
  if (!engine) return {}
  const keyword = urlOf(referrer)?.searchParams.get(engine === 'yahoo' ? 'p' : 'q')
  return { $search_engine: engine, ...(keyword ? { ph_keyword: keyword } : {}) }
}

/** Referrer and URL of an arrival, under the names of the stored form (docs/reference/protocol.md#5.7). */
export interface Arrival {
  r: string
  u: string
}

const DIRECT = '$direct'

/** Returns `$referrer` and `$referring_domain`; `$direct` if there is none. */
export const referrerOf = (referrer: string): Record<string, string> => ({
  $referrer: referrer || DIRECT,
  $referring_domain: hostOf(referrer) || DIRECT,
})

/** Returns an arrival as event or person properties, with `prefix` before each name and without empty values. */
export const arrivalProperties = (
  arrival: Arrival,
  prefix: string,
  options: UrlOptions = {},
): Record<string, string> => {
  const [r, u] = [permittedUrl(arrival.r, options), permittedUrl(arrival.u, options)]
  const referrer = r === DIRECT ? '' : r
  const values: Record<string, string> = {
    ...referrerOf(referrer),
    [prefix === '$initial_' ? 'current_url' : 'url']: u,
    host: hostOf(u),
    pathname: urlOf(u)?.pathname ?? '',
    ...campaignOf(u, options.custom_campaign_params),
    ...searchOf(referrer),
  }
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(values))
    if (value) result[prefix + name.replace('$', '')] = redactUrls(value)
  return result
}

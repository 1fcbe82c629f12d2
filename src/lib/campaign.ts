import { objectOf, pick } from './objects'
import { hostOf, urlOf } from './url'

// protocol.md §5.7: the campaign's own words, then the click ids of advertisers.
const CAMPAIGN =
  'utm_source utm_medium utm_campaign utm_content utm_term gad_source mc_cid gclid gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id igshid ttclid rdt_cid epik qclid sccid irclid _kx'.split(
    ' ',
  )

/** The campaign parameters that `url` carries, `custom` ones too. Absent ones are left out. */
export const campaignOf = (url: string, custom: readonly string[] = []): Record<string, string> => {
  const query = urlOf(url)?.searchParams
  return query
    ? pick(
        objectOf([...CAMPAIGN, ...custom], (name) => query.get(name) ?? ''),
        (_, value) => value,
      )
    : {}
}

const SEARCH = /^(?:www\.)?(google|bing|yahoo|duckduckgo)\./

/** `$search_engine`, and `ph_keyword` where the engine still tells it, of a referrer. */
export const searchOf = (referrer: string): Record<string, string> => {
  const engine = SEARCH.exec(hostOf(referrer).replace(/^search\./, ''))?.[1]
  if (!engine) return {}
  const keyword = urlOf(referrer)?.searchParams.get(engine === 'yahoo' ? 'p' : 'q')
  return { $search_engine: engine, ...(keyword ? { ph_keyword: keyword } : {}) }
}

/** What is remembered of an arrival: referrer and URL. The names are those of the stored form (protocol.md §5.7). */
export interface Arrival {
  r: string
  u: string
}

const DIRECT = '$direct'

/** `$referrer` and `$referring_domain`: `$direct` where there is none. */
export const referrerOf = (referrer: string): Record<string, string> => ({
  $referrer: referrer || DIRECT,
  $referring_domain: hostOf(referrer) || DIRECT,
})

/** An arrival as event or person properties, each name behind `prefix`. Empty values are left out. */
export const arrivalProperties = (
  { r, u }: Arrival,
  prefix: string,
  custom?: readonly string[],
): Record<string, string> => {
  const referrer = r === DIRECT ? '' : r
  const told: Record<string, string> = {
    ...referrerOf(referrer),
    [prefix === '$initial_' ? 'current_url' : 'url']: u,
    host: hostOf(u),
    pathname: urlOf(u)?.pathname ?? '',
    ...campaignOf(u, custom),
    ...searchOf(referrer),
  }
  return Object.fromEntries(
    Object.entries(pick(told, (_, value) => value)).map(([name, value]) => [prefix + name.replace(/^\$/, ''), value]),
  )
}

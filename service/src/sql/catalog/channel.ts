import { call, name, text, type Sql } from './physical.ts'

/** Source of a session's visitor, according to its first events. In lower case; empty if unknown. */
export interface Arrival {
  /** `utm_source`, otherwise the referring domain. */
  readonly source: Sql
  readonly medium: Sql
  readonly campaign: Sql
  /** Whether the link had a click id of a search engine or another advertiser: 1 or 0. */
  readonly hasSearchId: Sql
  readonly hasOtherId: Sql
}

// Names of sites, as a label of their domain or as written in utm_source. Names with a dot are domains.
const SITES = {
  ai: [
    'chatgpt',
    'chat.openai.com',
    'openai',
    'perplexity',
    'claude',
    'claude.ai',
    'gemini.google.com',
    'gemini',
    'copilot.microsoft.com',
    'copilot',
    'deepseek',
    'mistral',
    'grok',
    'poe.com',
    'you.com',
  ],
  search: [
    'google',
    'bing',
    'yahoo',
    'duckduckgo',
    'baidu',
    'yandex',
    'ecosia',
    'naver',
    'search.brave.com',
    'startpage',
    'qwant',
    'seznam',
    'ask.com',
    'aol',
    'kagi',
    'sogou',
    'daum',
    'swisscows',
    'adwords',
  ],
  social: [
    'facebook',
    'fb',
    'fb.me',
    'instagram',
    'ig',
    'twitter',
    'x.com',
    't.co',
    'linkedin',
    'lnkd.in',
    'reddit',
    'redd.it',
    'pinterest',
    'pin.it',
    'tiktok',
    'snapchat',
    'threads',
    'threads.net',
    'mastodon',
    'bsky.app',
    'bluesky',
    'tumblr',
    'vk',
    'vk.com',
    'weibo',
    'quora',
    'whatsapp',
    'wa.me',
    'telegram',
    't.me',
    'discord',
    'messenger',
    'news.ycombinator.com',
    'hackernews',
    'xing',
  ],
  video: ['youtube', 'youtu.be', 'vimeo', 'twitch', 'dailymotion', 'bilibili', 'netflix', 'hulu', 'disneyplus'],
  shopping: [
    'amazon',
    'ebay',
    'etsy',
    'alibaba',
    'aliexpress',
    'walmart',
    'shopify',
    'shop.app',
    'rakuten',
    'mercadolibre',
    'temu',
    'idealo',
    'shopzilla',
    'googleshopping',
  ],
} as const

/** Matches a site's name as a label of a domain such as `www.google.co.uk`, never as part of another name. */
const isSite = (source: Sql, sites: readonly string[]): Sql => {
  const names = sites.map((site) => site.replaceAll('.', '\\.')).join('|')
  return call('match', source, text(`(^|\\.)(${names})(\\.[a-z.]+)?$`))
}

const matches = (of: Sql, pattern: string): Sql => call('match', of, text(pattern))
const anyOf = (first: Sql, ...rest: readonly Sql[]): Sql => (rest.length ? call('or', first, ...rest) : first)
const allOf = (...terms: readonly Sql[]): Sql => call('and', ...terms)

const nameOf = ({ source, medium, campaign, hasSearchId, hasOtherId }: Arrival): Sql => {
  const isNobody = matches(source, '^(|direct|\\$direct|\\(direct\\))$')
  const isPaid = anyOf(hasSearchId, hasOtherId, matches(medium, '^(.*cp.*|ppc|retargeting|paid.*)$'))
  const isShopping = anyOf(isSite(source, SITES.shopping), matches(campaign, '^(.*(([^a-df-z]|^)shop|shopping).*)$'))
  const isSearch = isSite(source, SITES.search)
  const channels: readonly (readonly [name: string, test: Sql])[] = [
    [
      'Direct',
      allOf(
        isNobody,
        matches(medium, '^(|none|\\(none\\)|\\(not set\\))$'),
        call('empty', campaign),
        call('not', hasSearchId),
        call('not', hasOtherId),
      ),
    ],
    ['Cross Network', matches(campaign, 'cross-network')],
    ['Paid Shopping', allOf(isPaid, isShopping)],
    ['Paid Search', anyOf(allOf(isPaid, isSearch), allOf(isNobody, hasSearchId))],
    ['Paid Social', allOf(isPaid, isSite(source, SITES.social))],
    ['Paid Video', allOf(isPaid, isSite(source, SITES.video))],
    ['Display', matches(medium, '^(display|banner|expandable|interstitial|cpm)$')],
    ['Paid Unknown', isPaid],
    ['AI', isSite(source, SITES.ai)],
    ['Organic Shopping', isShopping],
    [
      'Organic Social',
      anyOf(isSite(source, SITES.social), matches(medium, '^(sm|social|social[ -]?(network|media))$')),
    ],
    ['Organic Video', anyOf(isSite(source, SITES.video), matches(medium, 'video'))],
    ['Email', anyOf(matches(source, '^(e[-_ ]?mail|newsletter)$'), matches(medium, '^(e[-_ ]?mail|newsletter)$'))],
    ['Organic Search', anyOf(isSearch, matches(medium, '^organic$'))],
    ['Affiliate', matches(medium, '^affiliates?$')],
    ['SMS', anyOf(matches(source, '^sms$'), matches(medium, '^sms$'))],
    ['Audio', matches(medium, '^audio$')],
    ['Push', matches(medium, '(push$|mobile|notification)')],
    ['Referral', anyOf(matches(medium, '^(referral|app|link)$'), matches(source, '\\.'))],
  ]
  return call('multiIf', ...channels.flatMap(([channel, test]) => [test, text(channel)]), text('Unknown'))
}

/**
 * Returns the channel through which a session's visitor arrived: that of the first rule that matches. The names and
 * most rules are those of Google Analytics (support.google.com/analytics/answer/9756891), with AI assistants as a
 * separate channel.
 */
export const channelOf = (arrival: Arrival): Sql => {
  // Each part has a name, so that it is computed and printed once.
  const names = Object.keys(arrival).map((part) => `__${part}`)
  const channel = nameOf({
    source: name('__source'),
    medium: name('__medium'),
    campaign: name('__campaign'),
    hasSearchId: name('__hasSearchId'),
    hasOtherId: name('__hasOtherId'),
  })
  return call(
    'arrayElement',
    call(
      'arrayMap',
      { kind: 'lambda', names, body: channel },
      ...Object.values(arrival).map((part: Sql) => call('array', part)),
    ),
    { kind: 'number', digits: '1' },
  )
}

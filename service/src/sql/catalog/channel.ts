import { call, name, text, type Sql } from './physical.ts'

/** What the first events of a session say of where its visitor came from, in lower case; empty: nothing. */
export interface Arrival {
  /** `utm_source`, or else the referring domain. */
  readonly source: Sql
  readonly medium: Sql
  readonly campaign: Sql
  /** Any of `CLICK_IDS.search`, of `CLICK_IDS.other`. */
  readonly searchId: Sql
  readonly otherId: Sql
}

/** Properties that an advertisement's link carries, and nothing else does: of search engines, and of others. */
export const CLICK_IDS = {
  search: ['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'gad_source', 'msclkid'],
  other: ['twclid', 'ttclid', 'li_fat_id', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid'],
} as const

// Names of sites as a label of their domain, or as somebody writes them in utm_source; those with a dot are domains.
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

/** Reads a site's name as a domain such as `www.google.co.uk` has it, never as a part of another name. */
const isSite = (source: Sql, sites: readonly string[]): Sql => {
  const names = sites.map((site) => site.replaceAll('.', '\\.')).join('|')
  return call('match', source, text(`(^|\\.)(${names})(\\.[a-z.]+)?$`))
}

const matches = (of: Sql, pattern: string): Sql => call('match', of, text(pattern))
const anyOf = (first: Sql, ...rest: readonly Sql[]): Sql => (rest.length ? call('or', first, ...rest) : first)
const allOf = (...terms: readonly Sql[]): Sql => call('and', ...terms)

const nameOf = ({ source, medium, campaign, searchId, otherId }: Arrival): Sql => {
  const isNobody = matches(source, '^(|direct|\\$direct|\\(direct\\))$')
  const isPaid = anyOf(
    call('notEmpty', searchId),
    call('notEmpty', otherId),
    matches(medium, '^(.*cp.*|ppc|retargeting|paid.*)$'),
  )
  const isShopping = anyOf(isSite(source, SITES.shopping), matches(campaign, '^(.*(([^a-df-z]|^)shop|shopping).*)$'))
  const isSearch = isSite(source, SITES.search)
  const channels: readonly (readonly [name: string, test: Sql])[] = [
    [
      'Direct',
      allOf(
        isNobody,
        matches(medium, '^(|none|\\(none\\)|\\(not set\\))$'),
        call('empty', campaign),
        call('empty', searchId),
        call('empty', otherId),
      ),
    ],
    ['Cross Network', matches(campaign, 'cross-network')],
    ['Paid Shopping', allOf(isPaid, isShopping)],
    ['Paid Search', anyOf(allOf(isPaid, isSearch), allOf(isNobody, call('notEmpty', searchId)))],
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
 * The channel by which a session's visitor came. The first row that holds names it. The names and most of the rules are those of
 * web analytics at large (support.google.com/analytics/answer/9756891), with AI assistants as a channel of their own.
 */
export const channelOf = (arrival: Arrival): Sql => {
  // Under names, so that each is worked out, and written, once.
  const names = Object.keys(arrival).map((part) => `__${part}`)
  const channel = nameOf({
    source: name('__source'),
    medium: name('__medium'),
    campaign: name('__campaign'),
    searchId: name('__searchId'),
    otherId: name('__otherId'),
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

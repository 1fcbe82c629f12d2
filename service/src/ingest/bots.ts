/**
 * Substrings of user agents of bots, in lower case, by category (docs/reference/protocol.md#17, plus those it lists as
 * missing).
 */
const SIGNS = {
  search: [
    'googlebot',
    'googleother',
    'google-inspectiontool',
    'bingbot',
    'bingpreview',
    'msnbot',
    'yandexbot',
    'yandex.com/bots',
    'baiduspider',
    'duckduckbot',
    'applebot',
    'slurp',
    'petalbot',
  ],
  google: [
    'adsbot-google',
    'apis-google',
    'duplexweb-google',
    'feedfetcher-google',
    'google-read-aloud',
    'google favicon',
    'google web preview',
    'google-hoteladsverifier',
    'google-cloudvertexbot',
    'googleweblight',
    'mediapartners-google',
    'storebot-google',
    'chrome-lighthouse',
  ],
  seo: [
    'ahrefsbot',
    'ahrefssiteaudit',
    'semrushbot',
    'siteauditbot',
    'mj12bot',
    'rogerbot',
    'screaming frog',
    'dataforseobot',
    'backlinksextendedbot',
    'sitebulb',
    'zoombot',
    'awariobot',
  ],
  ai: [
    'gptbot',
    'oai-searchbot',
    'chatgpt-user',
    'claudebot',
    'claude-user',
    'claude-searchbot',
    'perplexitybot',
    'bytespider',
    'meta-externalagent',
    'amazonbot',
    'amazonproductbot',
    'ccbot',
  ],
  preview: [
    'facebookexternal',
    'facebookcatalog',
    'linkedinbot',
    'slackbot',
    'twitterbot',
    'pinterestbot',
    'whatsapp',
    'telegrambot',
    'discordbot',
  ],
  uptime: ['better uptime bot', 'sentryuptimebot', 'uptimerobot', 'pingdom'],
  headless: ['headlesschrome', 'cypress', 'lightpanda', 'phantomjs'],
  screenshot: ['prerender', 'vercel-screenshot', 'vercelbot'],
  scanner: [
    'nessus',
    'deepscan',
    'ia_archiver',
    'archive.org_bot',
    'turnitin',
    'hubspot',
    'leikibot',
    'trendictionbot',
    'sebot-wa',
  ],
  // Words common in user agents of bots without a row above.
  other: ['crawler', 'spider', 'bot/', '(bot;', 'bot.htm', 'bot.php'],
} as const

export interface Bot {
  /** The substring that matched. */
  readonly name: string
  readonly category: keyof typeof SIGNS
}

const BOTS: readonly Bot[] = Object.entries(SIGNS).flatMap(([category, names]) =>
  names.map((name) => ({ name, category: category as Bot['category'] })),
)

// Visitors of a site share few user agents, and each visitor sends many events.
const MAX_KNOWN = 1_000
// Maximum characters of a cached user agent. Longer than any browser's, and keeps a cache of a thousand small.
const MAX_CHARS = 1_000
const known = new Map<string, Bot | undefined>()

const find = (userAgent: string): Bot | undefined => {
  const lower = userAgent.toLowerCase()
  return BOTS.find(({ name }) => lower.includes(name))
}

/** Returns the bot that a user agent names. `undefined`: no known bot. */
export const botOf = (userAgent: string): Bot | undefined => {
  if (userAgent.length > MAX_CHARS) return find(userAgent.slice(0, MAX_CHARS))
  if (!known.has(userAgent)) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(userAgent, find(userAgent))
  }
  return known.get(userAgent)
}

import { isBotUserAgent } from '../../src/lib/bots'

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', [], true],
  ['Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0.0.0', [], true],
  ['Mozilla/5.0 (compatible; GPTBot/1.1)', [], true],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/130.0.0.0 Safari/537.36', [], false],
  ['Mozilla/5.0 (iPhone) [Pinterest/iOS]', [], false],
  ['Electron/33.0 Chrome/130', [], false],
  ['My Monitor 1.0', ['my monitor'], true],
  ['My Monitor 1.0', ['MONITOR'], true],
  ['My Monitor 1.0', [''], false],
])('isBotUserAgent detects %s with blocked agents %j: %s', (agent, blocked, expected) =>
  expect(isBotUserAgent(agent, blocked)).toBe(expected),
)

// The list in the protocol (docs/reference/protocol.md#17), and similar agents of people.
test.each(
  (
    'googlebot googleother google-inspectiontool bingbot bingpreview msnbot yandexbot baiduspider duckduckbot applebot slurp petalbot adsbot-google ' +
    'apis-google duplexweb-google feedfetcher-google google-read-aloud google-hoteladsverifier google-cloudvertexbot googleweblight mediapartners-google ' +
    'storebot-google chrome-lighthouse ahrefsbot ahrefssiteaudit semrushbot mj12bot rogerbot dataforseobot backlinksextendedbot sitebulb zoombot awariobot ' +
    'gptbot oai-searchbot chatgpt-user perplexitybot bytespider meta-externalagent amazonbot amazonproductbot facebookexternalhit facebookcatalog ' +
    'linkedinbot slackbot twitterbot pinterestbot sentryuptimebot uptimerobot headlesschrome cypress lightpanda mycrawler/1 prerender ' +
    'vercel-screenshot vercelbot nessus deepscan ia_archiver archive.org_bot turnitin hubspot leikibot trendictionbot sebot-wa'
  )
    .split(' ')
    .concat(
      'google favicon',
      'google web preview',
      'screaming frog seo spider',
      'better uptime bot',
      'x (bot; y)',
      'see bot.htm',
      'see bot.php',
    ),
)('isBotUserAgent detects %s', (name) => expect(isBotUserAgent(`Mozilla/5.0 (compatible; ${name}/1.0)`)).toBe(true))

test.each([
  'Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) Chrome/120 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; CUBOT) Chrome/120',
  'GSA/300 Mobile (Google Search App)',
])('isBotUserAgent does not detect %s', (agent) => expect(isBotUserAgent(agent)).toBe(false))

// What bots say of themselves, lower case; any of these anywhere in the user agent (protocol.md §17). `pinterestbot`,
// not `pinterest`: the latter is also what people in that app's browser send.
const BOTS = new RegExp(
  'googlebot|googleother|google-inspectiontool|bingbot|bingpreview|msnbot|yandexbot|yandex\\.com/bots|baiduspider|duckduckbot|' +
    'applebot|slurp|petalbot|adsbot-google|apis-google|duplexweb-google|feedfetcher-google|google-read-aloud|google favicon|' +
    'google web preview|google-hoteladsverifier|google-cloudvertexbot|googleweblight|mediapartners-google|storebot-google|' +
    'chrome-lighthouse|ahrefs|semrush|siteauditbot|splitsignalbot|mj12bot|rogerbot|screaming frog|dataforseobot|' +
    'backlinksextendedbot|sitebulb|zoombot|awariobot|gptbot|oai-searchbot|chatgpt-user|perplexitybot|bytespider|' +
    'meta-externalagent|amazonbot|amazonproductbot|facebookexternal|facebookcatalog|linkedinbot|slackbot|twitterbot|' +
    'pinterestbot|better uptime bot|sentryuptimebot|uptimerobot|headlesschrome|cypress|lightpanda|crawler|bot/|\\(bot;|' +
    'bot\\.htm|bot\\.php|prerender|vercel-screenshot|vercelbot|nessus|deepscan|ia_archiver|archive\\.org_bot|turnitin|' +
    'hubspot|leikibot|trendictionbot|sebot-wa',
)

/** Whether a user agent is a bot's, by the built-in list or by one of `blocked` (substrings, any case). */
export const isBotUserAgent = (userAgent: string, blocked: readonly string[] = []): boolean => {
  const text = userAgent.toLowerCase()
  return BOTS.test(text) || blocked.some((each) => each && text.includes(each.toLowerCase()))
}

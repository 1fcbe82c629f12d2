// What bots say of themselves, lower case (docs/reference/protocol.md#17 has the list this covers). Almost all call themselves a bot,
// and so does one make of phones, Cubot. `pinterest` alone is not here: people in that app's browser say it too.
const BOTS =
  /(^|[^u]|(^|[^c])u)bot\b|crawl|spider|slurp|-google|google(-|other|web| (favicon|web p))|preview|lighthouse|ahrefs|semrush|screaming frog|sitebulb|chatgpt-user|meta-externalagent|facebook(external|catalog)|headlesschrome|cypress|lightpanda|prerender|vercel-screenshot|nessus|deepscan|ia_archiver|archive\.org|turnitin|hubspot|sebot-wa/

/** Whether a user agent is a bot's, by the built-in list or by one of `blocked` (substrings, any case). */
export const isBotUserAgent = (userAgent: string, blocked: readonly string[] = []): boolean => {
  const text = userAgent.toLowerCase()
  return BOTS.test(text) || blocked.some((each) => each && text.includes(each.toLowerCase()))
}

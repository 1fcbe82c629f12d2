// Parts of bots' user agents, lower case (the list of docs/reference/protocol.md#17), and of the browsers of unit tests. Most contain `bot`, as does the phone
// brand Cubot. Not `pinterest`, which is also in the user agent of that app's browser.
const BOTS =
  /(^|[^u]|(^|[^c])u)bot\b|crawl|spider|slurp|-google|google(-|other|web| (favicon|web p))|preview|lighthouse|ahrefs|semrush|screaming frog|sitebulb|chatgpt-user|meta-externalagent|facebook(external|catalog)|headlesschrome|cypress|lightpanda|prerender|vercel-screenshot|nessus|deepscan|ia_archiver|archive\.org|turnitin|hubspot|sebot-wa|jsdom|happydom/

/** Whether a user agent is a bot's, by the built-in list or by one of `blocked` (substrings, any case). */
export const isBotUserAgent = (userAgent: string, blocked: readonly string[] = []): boolean => {
  const text = userAgent.toLowerCase()
  return BOTS.test(text) || blocked.some((each) => each && text.includes(each.toLowerCase()))
}

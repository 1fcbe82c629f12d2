/** Browser, system and device of a user agent (docs/reference/protocol.md#5.4). Undefined: unknown. */
export interface Agent {
  $browser?: string
  $browser_version?: number
  $os?: string
  $os_version?: string
  $device?: string
  $device_type: 'Desktop' | 'Mobile' | 'Tablet' | 'Console' | 'Wearable'
}

// The first row whose pattern (the source of a regular expression) matches gives the browser. The version is the number
// after the pattern, or after the row's third value. Only browsers that can run this code have rows (docs/reference/browsers.md).
const BROWSERS: readonly (readonly [name: string, evidence: string, version?: string])[] = [
  ['Google Search App', 'GSA/'],
  ['Opera', ' OPR'],
  ['Oculus Browser', 'OculusBrowser'],
  ['Samsung Internet', 'SamsungBrowser'],
  ['Microsoft Edge', 'Edg(?:A|iOS)?(?=/)'],
  ['Vivaldi', 'Vivaldi'],
  ['Yandex', 'YaBrowser'],
  ['Whale', 'Whale'],
  ['DuckDuckGo', 'DuckDuckGo|Ddg'],
  ['Facebook Mobile', 'FBIOS', '^$'],
  ['UC Browser', 'UCBrowser'],
  ['Chrome iOS', 'CriOS'],
  ['Chrome', 'Chrome'],
  ['Firefox iOS', 'FxiOS'],
  ['Mobile Safari', 'WebKit.*Mobile', 'Version'],
  ['Safari', 'WebKit', 'Version'],
  ['Pale Moon', 'PaleMoon'],
  ['Waterfox', 'Waterfox'],
  ['Firefox', 'Firefox'],
]

// `version`: a pattern whose group is the version. `evidence`: V8 searches for plain words without compiling them.
const SYSTEMS: readonly (readonly [name: string, evidence: string, version?: string])[] = [
  ['Xbox', 'Xbox', 'Xbox ([^);]+)'],
  ['Nintendo', 'Nintendo'],
  ['PlayStation', 'PlayStation'],
  ['Windows', 'Windows', 'NT ([\\d.]+)'],
  ['iOS', 'iP(hone|ad|od)', 'OS ([\\d_.]+)'],
  ['watchOS', 'Apple ?Watch', 'OS ([\\d_.]+)'],
  ['Android', 'Android', 'Android ([\\d.]+)'],
  ['Mac OS X', 'Macintosh', 'OS X ([\\d_.]+)'],
  ['Chrome OS', 'CrOS'],
  ['Linux', 'Linux'],
]
// Release names of Windows that differ from the version of its kernel.
const WINDOWS: Record<string, string> = { '6.1': '7', '6.2': '8', '6.3': '8.1', '10.0': '10' }

// Lower case, because V8 finds a plain word faster than one in any case.
const DEVICES: readonly (readonly [name: string, evidence: string, kind: Agent['$device_type']])[] = [
  ['Nintendo', 'nintendo', 'Console'],
  ['PlayStation', 'playstation', 'Console'],
  ['Xbox', 'xbox', 'Console'],
  ['iPad', 'ipad', 'Tablet'],
  ['iPod Touch', 'ipod', 'Mobile'],
  ['iPhone', 'iphone', 'Mobile'],
  ['Apple Watch', 'apple ?watch', 'Wearable'],
  ['Nokia', 'nokia', 'Mobile'],
  ['Kindle Fire', 'kf[a-z]{2,4}(wi| build)|silk/', 'Tablet'],
  ['Android', 'android.*mobile', 'Mobile'],
  ['Android Tablet', 'android', 'Tablet'],
  ['Generic mobile', 'mobile', 'Mobile'],
  ['Generic tablet', 'tablet', 'Tablet'],
]

const versionOf = (system: string, number: string | undefined): string | undefined => {
  if (system === 'Windows') return WINDOWS[number!] ?? number
  const dotted = number?.replace(/_/g, '.')
  // Versions of these three have three parts, also where the user agent omits some.
  return dotted && /iOS|Android|Mac/.test(system) ? `${dotted}.0.0`.split('.').slice(0, 3).join('.') : dotted
}

const firstOf = <R extends readonly [string, string, string?]>(rows: readonly R[], agent: string): R | undefined =>
  rows.find(([, evidence]) => new RegExp(evidence).test(agent))

/** Reads browser, system and device from a user agent. `detectsGoogleApp`: the option `detect_google_search_app`. */
export const readUserAgent = (agent: string, detectsGoogleApp?: boolean): Agent => {
  const browser = firstOf(detectsGoogleApp ? BROWSERS : BROWSERS.slice(1), agent)
  const version = browser && new RegExp(`(?:${browser[2] ?? browser[1]})[/ :]?(\\d+\\.?\\d*)`).exec(agent)
  const system = firstOf(SYSTEMS, agent)
  const device = firstOf(DEVICES, agent.toLowerCase())
  return {
    $browser: browser?.[0],
    $browser_version: version ? +version[1]! : undefined,
    $os: system?.[0],
    $os_version: (system?.[2] && versionOf(system[0], new RegExp(system[2]).exec(agent)?.[1])) || undefined,
    $device: device?.[0],
    $device_type: device?.[2] ?? 'Desktop',
  }
}

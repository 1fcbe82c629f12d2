/** What a user agent tells, in the names of protocol.md §5.4. Absent: not known. */
export interface Agent {
  $browser?: string
  $browser_version?: number
  $os?: string
  $os_version?: string
  $device?: string
  $device_type: 'Desktop' | 'Mobile' | 'Tablet' | 'Console' | 'Wearable'
}

// The first row whose evidence is there names the browser (as text of regular expressions). The version is the number
// behind the evidence, or behind the row's third word where the evidence carries none.
const BROWSERS: readonly (readonly [name: string, evidence: string, version?: string])[] = [
  ['Opera Mini', 'Opera Mini'],
  ['Opera', ' OPR|Opera'],
  ['BlackBerry', 'BlackBerry|PlayBook|BB10', 'Version'],
  ['Internet Explorer Mobile', 'IEMobile|WPDesktop', 'rv'],
  ['Oculus Browser', 'OculusBrowser'],
  ['Samsung Internet', 'SamsungBrowser'],
  ['Microsoft Edge', 'Edg(?:e|A|iOS)?(?=/)'],
  ['Vivaldi', 'Vivaldi'],
  ['Yandex', 'YaBrowser'],
  ['Whale', 'Whale'],
  ['DuckDuckGo', 'DuckDuckGo|Ddg'],
  ['Facebook Mobile', 'FBIOS', '^$'],
  ['UC Browser', 'UCWEB|UCBrowser'],
  ['Chrome iOS', 'CriOS'],
  ['Chrome', 'CrMo|Chrome'],
  ['Android Mobile', 'Android.*Safari', 'Version'],
  ['Firefox iOS', 'FxiOS'],
  ['Konqueror', '[Kk]onqueror'],
  ['Mobile Safari', 'Mobile.*Safari', 'Version'],
  ['Safari', 'Safari', 'Version'],
  ['Pale Moon', 'PaleMoon'],
  ['Waterfox', 'Waterfox'],
  ['Firefox', 'Firefox'],
  ['Internet Explorer', 'MSIE|Trident/', 'MSIE|rv'],
  ['Firefox', 'Gecko', 'rv'],
]

// A group in the evidence is the version.
const SYSTEMS: readonly (readonly [name: string, evidence: string])[] = [
  ['Xbox', 'Xbox; Xbox ([^);]+)|Xbox'],
  ['Nintendo', 'Nintendo'],
  ['PlayStation', 'PlayStation'],
  ['BlackBerry', 'BlackBerry|PlayBook|BB10'],
  ['Windows Phone', 'Windows Phone(?: OS)? ?([\\d.]*)'],
  ['Windows Mobile', 'IEMobile|WPDesktop'],
  ['Windows', 'Windows(?: NT ([\\d.]+))?'],
  ['iOS', 'iP(?:hone|ad|od)(?:.*?OS ([\\d_.]+))?'],
  ['watchOS', 'Apple ?Watch(?:.*?OS ([\\d_.]+))?'],
  ['Android', 'Android(?: ([\\d.]+))?'],
  ['Mac OS X', 'Macintosh(?:.*?OS X ([\\d_.]+))?'],
  ['Chrome OS', 'CrOS'],
  ['Linux', 'Linux|[Dd]ebian'],
]
// What Windows calls its releases, by the number of the kernel.
const WINDOWS: Record<string, string> = {
  '5.0': '2000',
  '5.1': 'XP',
  '5.2': 'XP',
  '6.0': 'Vista',
  '6.1': '7',
  '6.2': '8',
  '6.3': '8.1',
  '6.4': '10',
  '10.0': '10',
}

const DEVICES: readonly (readonly [name: string, evidence: string, kind: Agent['$device_type']])[] = [
  ['Nintendo', 'Nintendo', 'Console'],
  ['PlayStation', 'PlayStation', 'Console'],
  ['Xbox', 'Xbox', 'Console'],
  ['Ouya', 'Ouya', 'Console'],
  ['Windows Phone', 'Windows Phone|WPDesktop', 'Mobile'],
  ['iPad', 'iPad', 'Tablet'],
  ['iPod Touch', 'iPod', 'Mobile'],
  ['iPhone', 'iPhone', 'Mobile'],
  ['Apple Watch', 'Apple ?Watch', 'Wearable'],
  ['BlackBerry', 'BlackBerry|PlayBook|BB10', 'Mobile'],
  ['Kobo', 'Kobo (ereader|touch)', 'Tablet'],
  ['Nokia', 'Nokia', 'Mobile'],
  ['Kindle Fire', 'kf[a-z]{2,4}(wi| build)|silk/', 'Tablet'],
  ['Android', 'Android.*Mobile', 'Mobile'],
  ['Android Tablet', 'Android', 'Tablet'],
  ['Generic mobile', 'Mobile|mini\\b', 'Mobile'],
  ['Generic tablet', 'Tablet', 'Tablet'],
]

const versionOf = (system: string, number: string | undefined, agent: string): string | undefined => {
  if (system === 'Windows') return /arm/i.test(agent) ? 'RT' : (WINDOWS[number!] ?? number)
  const dotted = number?.replace(/_/g, '.')
  // These three count in threes, whatever they leave out.
  return dotted && /iOS|Android|Mac/.test(system) ? `${dotted}.0.0`.split('.').slice(0, 3).join('.') : dotted
}

const firstOf = <R extends readonly [string, string, string?]>(
  rows: readonly R[],
  agent: string,
  flags?: string,
): R | undefined => rows.find(([, evidence]) => new RegExp(evidence, flags).test(agent))

/** What the user agent text tells of browser, system and device. */
export const readUserAgent = (agent: string): Agent => {
  const browser = firstOf(BROWSERS, agent)
  const version = browser && new RegExp(`(?:${browser[2] ?? browser[1]})[/ :]?(\\d+\\.?\\d*)`).exec(agent)
  const system = firstOf(SYSTEMS, agent)
  const device = firstOf(DEVICES, agent, 'i')
  return {
    $browser: browser?.[0],
    $browser_version: version ? +version[1]! : undefined,
    $os: system?.[0],
    $os_version: (system && versionOf(system[0], new RegExp(system[1]).exec(agent)![1], agent)) || undefined,
    $device: device?.[0],
    $device_type: device?.[2] ?? 'Desktop',
  }
}

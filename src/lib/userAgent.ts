/** What a user agent tells, in the names of protocol.md §5.4. Absent: not known. */
export interface Agent {
  $browser?: string
  $browser_version?: number
  $os?: string
  $os_version?: string
  $device?: string
  $device_type: 'Desktop' | 'Mobile' | 'Tablet' | 'Console' | 'Wearable'
}

// The first row that matches names the browser. The version is the number behind the row's last alternative of
// `version`, or behind the name itself.
const BROWSERS: readonly (readonly [name: string, evidence: RegExp, version?: RegExp])[] = [
  ['Opera Mini', /Opera Mini| OPR\/.*Mini/, /Opera Mini\/(\d+\.?\d*)/],
  ['Opera', / OPR\/|Opera/, /(?:OPR|Opera|Version)\/(\d+\.?\d*)/],
  ['BlackBerry', /BlackBerry|PlayBook|BB10/, /(?:BlackBerry \w+|Version)\/(\d+\.?\d*)/],
  ['Internet Explorer Mobile', /IEMobile|WPDesktop/, /rv:(\d+\.?\d*)/],
  ['Oculus Browser', /OculusBrowser/],
  ['Samsung Internet', /SamsungBrowser/],
  ['Microsoft Edge', /Edge|Edg(A|iOS)?\//, /Edg(?:e|A|iOS)?\/(\d+\.?\d*)/],
  ['Vivaldi', /Vivaldi\//],
  ['Yandex', /YaBrowser\//],
  ['Whale', /Whale\//],
  ['DuckDuckGo', /DuckDuckGo\/|Ddg\//],
  ['Facebook Mobile', /FBIOS/, /^$/],
  ['UC Browser', /UCWEB|UCBrowser/],
  ['Chrome iOS', /CriOS/],
  ['Chrome', /CrMo|Chrome/],
  ['Android Mobile', /Android.*Safari/, /Version\/(\d+\.?\d*)|android\s(\d+\.?\d*)/i],
  ['Firefox iOS', /FxiOS/],
  ['Konqueror', /konqueror/i],
  ['Mobile Safari', /Mobile.*Safari/, /Version\/(\d+\.?\d*)/],
  ['Safari', /Safari/, /Version\/(\d+\.?\d*)/],
  ['Pale Moon', /PaleMoon\//],
  ['Waterfox', /Waterfox\//],
  ['Firefox', /Firefox/],
  ['Internet Explorer', /MSIE|Trident\//, /(?:MSIE |rv:)(\d+\.?\d*)/],
  ['Firefox', /Gecko/, /rv:(\d+\.?\d*)/],
]

const WINDOWS: Record<string, string> = { '5.0': '2000', '5.1': 'XP', '5.2': 'XP', '6.0': 'Vista', '6.1': '7', '6.2': '8', '6.3': '8.1', '6.4': '10', '10.0': '10' }

const dotted = (text = '') => text.replace(/_/g, '.')
const three = (text = '') => [...dotted(text).split('.'), '0', '0'].slice(0, 3).join('.')

const SYSTEMS: readonly (readonly [name: string, evidence: RegExp, version?: (found: RegExpExecArray, agent: string) => string])[] = [
  ['Xbox', /Xbox; Xbox ([^);]+)|Xbox/, (found) => found[1] ?? ''],
  ['Nintendo', /Nintendo/],
  ['PlayStation', /PlayStation/],
  ['BlackBerry', /BlackBerry|PlayBook|BB10/],
  ['Windows Phone', /Windows Phone(?: OS)? ?([\d.]*)/, (found) => found[1]!],
  ['Windows Mobile', /IEMobile|WPDesktop/],
  ['Windows', /Windows(?: NT ([\d.]+))?/, (found, agent) => (/arm/i.test(agent) ? 'RT' : (WINDOWS[found[1]!] ?? found[1] ?? ''))],
  ['iOS', /(?:iPhone|iPad|iPod).*?OS (\d+[_.\d]*)|iPhone|iPad|iPod/, (found) => (found[1] ? three(found[1]) : '')],
  ['watchOS', /Apple ?Watch.*?OS (\d+[_.\d]*)|Apple ?Watch/, (found) => dotted(found[1])],
  ['Android', /Android (\d+[.\d]*)|Android/, (found) => (found[1] ? three(found[1]) : '')],
  ['Mac OS X', /Macintosh(?:.*?Mac OS X (\d+[_.\d]*))?/, (found) => (found[1] ? three(found[1]) : '')],
  ['Chrome OS', /CrOS/],
  ['Linux', /Linux|debian/i],
]

const DEVICES: readonly (readonly [name: string, evidence: RegExp, kind: Agent['$device_type']])[] = [
  ['Nintendo', /Nintendo/, 'Console'],
  ['PlayStation', /PlayStation/, 'Console'],
  ['Xbox', /Xbox/, 'Console'],
  ['Ouya', /OUYA/i, 'Console'],
  ['Windows Phone', /Windows Phone|WPDesktop/i, 'Mobile'],
  ['iPad', /iPad/, 'Tablet'],
  ['iPod Touch', /iPod/, 'Mobile'],
  ['iPhone', /iPhone/, 'Mobile'],
  ['Apple Watch', /Apple ?Watch/, 'Wearable'],
  ['BlackBerry', /BlackBerry|PlayBook|BB10/, 'Mobile'],
  ['Kobo', /kobo\s(ereader|touch)/i, 'Tablet'],
  ['Nokia', /nokia/i, 'Mobile'],
  ['Kindle Fire', /kf[a-z]{2}wi|kf[a-z]{2,4}\sbuild|silk\//i, 'Tablet'],
  ['Android', /Android.*Mobile/, 'Mobile'],
  ['Android Tablet', /Android/, 'Tablet'],
  ['Generic mobile', /(mobile|mini)\b/i, 'Mobile'],
  ['Generic tablet', /tablet/i, 'Tablet'],
]

/** What the user agent text tells of browser, system and device. */
export const readUserAgent = (agent: string): Agent => {
  const browser = BROWSERS.find(([, evidence]) => evidence.test(agent))
  const behind = browser?.[2] ?? /(?:OculusBrowser|SamsungBrowser|Vivaldi|YaBrowser|Whale|DuckDuckGo|Ddg|UCBrowser|UCWEB|CriOS|CrMo|Chrome|FxiOS|Konqueror|PaleMoon|Waterfox|Firefox)\/(\d+\.?\d*)/i
  const version = browser && behind.exec(agent.slice(browser[2] ? 0 : agent.search(browser[1])))
  const system = SYSTEMS.find(([, evidence]) => evidence.test(agent))
  const device = DEVICES.find(([, evidence]) => evidence.test(agent))
  return {
    $browser: browser?.[0],
    $browser_version: version ? parseFloat(version[1] ?? version[2]!) : undefined,
    $os: system?.[0],
    $os_version: (system?.[2]?.(system[1].exec(agent)!, agent) ?? '') || undefined,
    $device: device?.[0],
    $device_type: device?.[2] ?? 'Desktop',
  }
}

import { readUserAgent } from '../../src/lib/userAgent'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0'

test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`,
    'Chrome',
    130,
    'Windows',
    '10',
    undefined,
    'Desktop',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/130.0.2849.68`,
    'Microsoft Edge',
    130,
    'Windows',
    '10',
    undefined,
    'Desktop',
  ],
  [
    `Mozilla/5.0 (Windows NT 6.1) ${CHROME} Safari/537.36 OPR/114.0.0.0`,
    'Opera',
    114,
    'Windows',
    '7',
    undefined,
    'Desktop',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15',
    'Safari',
    17.6,
    'Mac OS X',
    '10.15.7',
    undefined,
    'Desktop',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'Mobile Safari',
    17.5,
    'iOS',
    '17.5.0',
    'iPhone',
    'Mobile',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_1_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.6723.90 Mobile/15E148 Safari/604.1',
    'Chrome iOS',
    130,
    'iOS',
    '16.1.2',
    'iPad',
    'Tablet',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${CHROME} Mobile Safari/537.36`,
    'Chrome',
    130,
    'Android',
    '14.0.0',
    'Android',
    'Mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-X700) ${CHROME} Safari/537.36`,
    'Chrome',
    130,
    'Android',
    '13.0.0',
    'Android Tablet',
    'Tablet',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
    26,
    'Android',
    '13.0.0',
    'Android',
    'Mobile',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Firefox',
    132,
    'Linux',
    undefined,
    undefined,
    'Desktop',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1.15',
    'Firefox iOS',
    132,
    'iOS',
    '17.5.0',
    'iPhone',
    'Mobile',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`,
    'Chrome',
    130,
    'Chrome OS',
    undefined,
    undefined,
    'Desktop',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) ${CHROME} Safari/537.36`,
    'Chrome',
    130,
    'Xbox',
    'One',
    'Xbox',
    'Console',
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; KFMAWI) ${CHROME} Safari/537.36`,
    'Chrome',
    130,
    'Android',
    '9.0.0',
    'Kindle Fire',
    'Tablet',
  ],
  // The web view of an app: it contains neither Safari nor a version.
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mobile Safari',
    undefined,
    'iOS',
    '17.5.0',
    'iPhone',
    'Mobile',
  ],
])('parses user agent %s', (agent, browser, version, os, osVersion, device, kind) => {
  expect(readUserAgent(agent)).toEqual({
    $browser: browser,
    $browser_version: version,
    $os: os,
    $os_version: osVersion,
    $device: device,
    $device_type: kind,
  })
})

test("Google's app is reported as such only where it is asked for", () => {
  const agent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/318.0.634472147 Mobile/15E148 Safari/604.1'
  expect(readUserAgent(agent).$browser).toBe('Mobile Safari')
  expect(readUserAgent(agent, true)).toMatchObject({ $browser: 'Google Search App', $browser_version: 318, $os: 'iOS' })
})

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertOwnPage, isConsoleHost, sessionCookie, sessionSecret } from '../../src/http/console.ts'
import { createConsoleFiles } from '../../src/console/files.ts'
import { consoleUrlOf } from '../../src/console/module.ts'
import { temporaryFolder } from '../support/startService.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

describe('hosts of the console', () => {
  test.each([
    ['localhost:8000', LOOPBACK, true],
    ['LOCALHOST', LOOPBACK, true],
    ['[::1]:8000', LOOPBACK, true],
    ['[::1]', LOOPBACK, true],
    ['localhost.', LOOPBACK, false],
    ['localhost.evil.example', LOOPBACK, false],
    ['evil.example:8000', LOOPBACK, false],
    ['127.0.0.1@evil.example', LOOPBACK, false],
    ['127.0.0.2', LOOPBACK, false],
    ['', LOOPBACK, false],
    ['console.example.com', ['console.example.com'], true],
    ['console.example.com:8443', ['console.example.com'], true],
    ['console.example.com:8443', ['console.example.com:8443'], true],
    ['console.example.com', ['console.example.com:8443'], false],
    ['localhost', ['console.example.com'], false],
  ])('the Host %s with the console hosts %j is one of them: %s', (host, hosts, expected) => {
    expect(isConsoleHost({ hosts }, { host })).toBe(expected)
  })

  test.each([
    ['localhost', true],
    ['shop.example', false],
    ['localhost, shop.example', false],
    ['shop.example, localhost', false],
  ])('the X-Forwarded-Host %s is a host of the console: %s', (forwarded, expected) => {
    expect(isConsoleHost({ hosts: LOOPBACK }, { host: 'localhost', 'x-forwarded-host': forwarded })).toBe(expected)
  })

  test('a missing Host is not a host of the console', () => {
    expect(isConsoleHost({ hosts: LOOPBACK }, {})).toBe(false)
  })
})

test.each<[string, string, Record<string, string>, boolean]>([
  ['a fetch of the console', 'GET', { 'sec-fetch-site': 'same-origin' }, true],
  ['a POST of the console', 'POST', { 'sec-fetch-site': 'same-origin', origin: 'https://console.example:8443' }, true],
  ['a page on another port', 'GET', { 'sec-fetch-site': 'same-site' }, false],
  ['a page of another site', 'GET', { 'sec-fetch-site': 'cross-site' }, false],
  ['a typed URL', 'GET', { 'sec-fetch-site': 'none' }, false],
  ['a typed URL with the header', 'GET', { 'sec-fetch-site': 'none', 'x-trailmark-console': '1' }, false],
  [
    'another port with its own Origin',
    'POST',
    { 'sec-fetch-site': 'same-site', origin: 'http://console.example:8443' },
    false,
  ],
  [
    'a site that forwards to the service',
    'POST',
    { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
    false,
  ],
  [
    'a subdomain of the console host',
    'POST',
    { 'sec-fetch-site': 'same-origin', origin: 'https://my.console.example:8443' },
    false,
  ],
  ['an opaque origin', 'POST', { origin: 'null' }, false],
  ['plain HTTP with its own Origin', 'POST', { origin: 'http://console.example:8443' }, true],
  ['plain HTTP with another scheme', 'POST', { origin: 'https://console.example:8443' }, false],
  ['plain HTTP with another port', 'POST', { origin: 'http://console.example:8444' }, false],
  ['a POST without either', 'POST', {}, false],
  ['a POST without either, with the header', 'POST', { 'x-trailmark-console': '1' }, false],
  ['a GET without either', 'GET', {}, false],
  ['a GET without either, with the header', 'GET', { 'x-trailmark-console': '1' }, true],
  ['a DELETE without either, with the header', 'DELETE', { 'x-trailmark-console': '1' }, false],
])('whether a request is from a page of the console: %s, %s %j: %s', (_, method, headers, isOwn) => {
  const check = () => assertOwnPage({ method, headers, protocol: 'http', host: 'Console.example:8443' })
  if (isOwn) expect(check).not.toThrow()
  else expect(check).toThrow('cross_origin_request')
})

describe('the console cookie', () => {
  const root = { hosts: [], base: '', instance: 'ab12' }
  const below = { ...root, base: '/tools/trailmark' }
  const cookie = { secret: 's', seconds: 60 }

  test.each([
    [root, 'http', 'trailmark_ab12=s; Path=/; Max-Age=60; HttpOnly; SameSite=Strict'],
    [root, 'https', '__Host-trailmark_ab12=s; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure'],
    [below, 'http', 'trailmark_ab12=s; Path=/tools/trailmark/; Max-Age=60; HttpOnly; SameSite=Strict'],
    [
      below,
      'https',
      '__Secure-trailmark_ab12=s; Path=/tools/trailmark/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    ],
  ])('is set for %j over %s', (address, protocol, expected) => {
    expect(sessionCookie(address, { protocol }, cookie)).toBe(expected)
  })

  test.each([
    ['trailmark_ab12=s', 'http', 's'],
    ['a=1; trailmark_ab12=s; b=2', 'http', 's'],
    ['trailmark_ab12=s', 'https', undefined],
    ['__Host-trailmark_ab12=s; trailmark_ab12=t', 'https', 's'],
    ['trailmark_cd34=s', 'http', undefined],
    ['trailmark_ab12=s; trailmark_ab12=t', 'http', undefined],
    ['trailmark_ab12=', 'http', undefined],
    ['', 'http', undefined],
  ])('%s over %s is read as %s', (header, protocol, expected) => {
    expect(sessionSecret(root, { headers: { cookie: header }, protocol })).toBe(expected)
  })
})

describe('files of the console', () => {
  const folder = temporaryFolder()
  const files = createConsoleFiles({ folder, base: '/tools/trailmark', staticDir: folder })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('say how to build them if they are missing', async () => {
    expect(files.isBuilt()).toBe(false)
    expect(await files.respond('')).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') })
  })

  test('have the base path in the page', async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<!doctype html><html><head><base href="/"><title>T</title>')
    writeFileSync(join(folder, 'icon.svg'), '<svg/>')
    writeFileSync(join(folder, 'assets/main-1a2b.js'), 'main()')
    expect(files.isBuilt()).toBe(true)
    for (const path of ['', 'overview', 'persons/ada@example.com', 'index.html', '../secret.txt', 'assets'])
      expect([path, (await files.respond(path)).body]).toEqual([
        path,
        expect.stringMatching(
          /^<!doctype html><html><head><base href="\/tools\/trailmark\/console\/">.*<title>T<\/title>$/,
        ),
      ])
  })

  test('say in the page whether the package of the SDK is built', async () => {
    const NOTE = '<meta name="trailmark-package" content="missing">'
    const page = async () => (await files.respond('')).body
    expect(await page()).toContain(NOTE)
    writeFileSync(join(folder, 'release.json'), '{ "version": "2.0.0", "files": {} }')
    writeFileSync(join(folder, 'trailmark-1.9.0.tgz'), '')
    expect(await page()).toContain(NOTE)
    writeFileSync(join(folder, 'trailmark-2.0.0.tgz'), '')
    expect(await page()).not.toContain(NOTE)
  })

  test('are immutable if their names have a hash', async () => {
    expect(await files.respond('assets/main-1a2b.js')).toMatchObject({
      file: 'assets/main-1a2b.js',
      headers: { 'cache-control': 'public, max-age=31536000, immutable' },
    })
    expect(await files.respond('icon.svg')).toMatchObject({
      file: 'icon.svg',
      headers: { 'cache-control': 'no-cache' },
    })
    for (const path of ['assets/gone-1a2b.js', 'assets/', 'assets/../icon.svg'])
      await expect(files.respond(path)).rejects.toThrow('not_found')
  })
})

test.each([
  [LOOPBACK, '', 'http://127.0.0.1:8000', 'http://127.0.0.1:8000/console/'],
  [LOOPBACK, '/tools', 'http://127.0.0.1:8000', 'http://127.0.0.1:8000/tools/console/'],
  [['console.example.com'], '', 'http://127.0.0.1:8000', 'https://console.example.com/console/'],
  [['localhost', 'console.example.com:8443'], '', 'http://10.0.0.5:8000', 'https://console.example.com:8443/console/'],
  [['10.0.0.5'], '', 'http://127.0.0.1:8000', 'http://10.0.0.5:8000/console/'],
  [['10.0.0.5:80'], '', 'http://127.0.0.1:8000', 'http://10.0.0.5:80/console/'],
  [LOOPBACK, '', 'http://10.0.0.5:8000', undefined],
])('the URL of the console on %j%s, of a service at %s, is %s', (consoleHosts, consoleBase, url, expected) => {
  expect(consoleUrlOf({ consoleHosts, consoleBase }, url)).toBe(expected)
})

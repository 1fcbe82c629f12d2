import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCountries } from '../../src/ingest/countries.ts'

const folder = mkdtempSync(join(tmpdir(), 'trailmark-countries-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (text: string) => {
  const file = join(folder, 'ranges.csv')
  writeFileSync(file, text)
  return file
}

const RANGES = `
"2.16.0.0","2.16.0.255","DE"
1.0.0.0,1.0.0.255,au
1.0.1.0,1.0.3.255,CN,more columns
2001:db8::,2001:db8:0:ffff:ffff:ffff:ffff:ffff,NL
2a00:1450::,2a00:1450:ffff:ffff:ffff:ffff:ffff:ffff,IE
`

test.each([
  ['1.0.0.0', 'AU'],
  ['1.0.0.255', 'AU'],
  ['1.0.1.0', 'CN'],
  ['1.0.3.255', 'CN'],
  ['1.0.4.0', undefined],
  ['0.255.255.255', undefined],
  ['2.16.0.77', 'DE'],
  ['2.16.1.0', undefined],
  ['::ffff:2.16.0.77', 'DE'],
  ['::FFFF:0210:004d', 'DE'],
  ['2001:db8::1', 'NL'],
  ['2001:DB8:0:1::9', 'NL'],
  ['2001:db8:1::', undefined],
  ['2a00:1450:4001:80b::200e', 'IE'],
  ['fe80::1%eth0', undefined],
  ['::1', undefined],
  ['', undefined],
  ['unknown', undefined],
  ['999.1.1.1', undefined],
  ['1.0.0', undefined],
])('maps the IP address "%s" to the country %s', (address, country) => {
  expect(readCountries(fileOf(RANGES))(address)).toBe(country)
})

test('an empty country file maps no IP address', () => {
  expect(readCountries(fileOf('\n'))('1.0.0.1')).toBeUndefined()
})

test.each([
  ['a header line', 'start,end,country\n1.0.0.0,1.0.0.255,AU', 'line 1'],
  ['an invalid IP address', '1.0.0.0,1.0.0.255,AU\n1.0.0.256,1.0.1.0,AU', 'line 2'],
  ['a range that ends before it begins', '1.0.0.9,1.0.0.1,AU', 'line 1'],
  ["a country's whole name", '1.0.0.0,1.0.0.255,Australia', 'line 1'],
])('a country file with %s is rejected with the line number', (_, text, words) => {
  expect(() => readCountries(fileOf(text))).toThrow(words)
})

test('a missing country file is rejected', () => {
  expect(() => readCountries(join(folder, 'none.csv'))).toThrow('TRAILMARK_GEOIP_FILE cannot be read')
})

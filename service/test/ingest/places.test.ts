import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPlaces } from '../../src/ingest/places.ts'
import { toMmdb } from '../support/mmdb.ts'

const folder = mkdtempSync(join(tmpdir(), 'trailmark-places-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const said: string[] = []
const log = (text: string) => void said.push(text)

const NESTED = {
  '203.0.113.0/24': {
    country: { iso_code: 'NO' },
    subdivisions: [{ iso_code: '03', names: { en: 'Oslo County' } }],
    city: { names: { en: 'Oslo', de: 'Oslo' } },
    location: { latitude: 59, longitude: 10 },
  },
  '2001:db8::/32': { country: { iso_code: 'NL' } },
}
const FLAT = { '198.51.100.0/24': { country_code: 'FR', state1: 'Brittany', city: 'Rennes' } }

test('places are read from databases of both forms and from CSV, in the order of the files', () => {
  const { placeOf } = openPlaces(
    [
      file('nested.mmdb', toMmdb(NESTED)),
      file('flat.mmdb', toMmdb(FLAT)),
      file('more.csv', '192.0.2.0,192.0.2.255,DE\n203.0.113.0,203.0.113.255,XX\n'),
    ],
    log,
  )
  expect(placeOf('203.0.113.9')).toEqual({ country: 'NO', region: 'Oslo County', city: 'Oslo' })
  expect(placeOf('::ffff:203.0.113.9')).toEqual({ country: 'NO', region: 'Oslo County', city: 'Oslo' })
  expect(placeOf('2001:db8::1')).toEqual({ country: 'NL' })
  expect(placeOf('198.51.100.1')).toEqual({ country: 'FR', region: 'Brittany', city: 'Rennes' })
  expect(placeOf('192.0.2.1')).toEqual({ country: 'DE' })
  for (const address of ['10.0.0.1', '', 'x', '1.2.3', '::', 'fe80::1%eth0']) expect(placeOf(address)).toBeUndefined()
})

test('a file that changes is read again, and a bad one is not used', async () => {
  const path = file('swapped.mmdb', toMmdb(FLAT))
  const { placeOf, refresh } = openPlaces([path], log)
  await refresh()
  expect(said).toEqual([])
  file('swapped.mmdb', toMmdb({ ...FLAT, '192.0.2.0/24': { country_code: 'IT' } }))
  await refresh()
  expect(placeOf('192.0.2.1')).toEqual({ country: 'IT' })
  file('swapped.mmdb', 'not a database')
  await refresh()
  await refresh()
  rmSync(path)
  await refresh()
  expect(placeOf('192.0.2.1')).toEqual({ country: 'IT' })
  expect(said.map((each) => /was read again|stays in use/.exec(each)?.[0])).toEqual([
    'was read again',
    'stays in use',
    'stays in use',
  ])
})

test('the start names a damaged database and a file of another format, and no lookup throws', () => {
  expect(() => openPlaces([file('none.mmdb', 'x')], log)).toThrow('it is no database in the format mmdb')
  expect(() => openPlaces([join(folder, 'missing.mmdb')], log)).toThrow('missing.mmdb')
  const whole = toMmdb(NESTED)
  for (let at = 0; at < whole.length; at += 7) {
    const damaged = Buffer.from(whole)
    damaged[at] = damaged[at]! ^ 0xff
    const path = file('damaged.mmdb', damaged)
    let open: ReturnType<typeof openPlaces> | undefined
    try {
      open = openPlaces([path], log)
    } catch (error) {
      expect((error as Error).message).toContain('TRAILMARK_GEOIP_FILE')
    }
    for (const address of ['203.0.113.9', '2001:db8::1', '10.0.0.1']) expect(() => open?.placeOf(address)).not.toThrow()
  }
})

import { mapPositions, MAX_MAP_VALUES, MAX_MAPPINGS, openMap } from '../../src/errorTracking/mapFile.ts'

const map = (fields: object) => ({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA', ...fields })
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test.each([
  ['values', map({ names: Array.from({ length: MAX_MAP_VALUES }, () => 0) }), `${MAX_MAP_VALUES} keys and values`],
  ['mappings', map({ mappings: 'AAAA,'.repeat(MAX_MAPPINGS + 1) }), `${MAX_MAPPINGS} mappings`],
  ['lines', map({ mappings: ';'.repeat(MAX_MAPPINGS + 1) }), `${MAX_MAPPINGS} mappings`],
  [
    'mappings in its sections',
    {
      version: 3,
      sections: [0, 1].map((line) => ({
        offset: { line, column: 0 },
        map: map({ mappings: 'AAAA,'.repeat(MAX_MAPPINGS / 2 + 1) }),
      })),
    },
    `${MAX_MAPPINGS} mappings`,
  ],
])('refuses a source map with too many %s before decoding it', (_, value, reason) => {
  expect(() => openMap(bytesOf(value))).toThrow(`it has more than ${reason}`)
})

test('reports the memory of an opened map', () => {
  const { map: opened, size } = openMap(bytesOf(map({ mappings: 'AAAA,CAAC;AAAA' })))
  expect(opened.sources).toEqual(['a.ts'])
  expect(size).toBeGreaterThan(180)
})

test('a position has the name that begins there, not one before it', () => {
  // `previous` begins at column 1 of the built file, and the call of something without a name at column 12.
  const { map: opened } = openMap(bytesOf(map({ names: ['previous'], mappings: 'AAAAA,WAAW' })))
  const names = [1, 5, 12].map((column) => mapPositions(opened, [{ line: 1, column }])[0]!.name)
  expect(names).toEqual(['previous', '', ''])
})

/** @jest-environment jsdom */
import { toCsv } from '../src/lib/csv.ts'
import {
  bucketName,
  formatAgo,
  formatChange,
  formatCompact,
  formatCount,
  formatDate,
  formatDateRange,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatShare,
  formatWhole,
  languageName,
  regionName,
} from '../src/lib/format.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
/** Text with spaces instead of those of a locale. */
const plain = (text: string) => text.replace(/[\u2009\u202f\u00a0]/g, ' ')

test.each([
  [formatWhole(1_234.6), '1,235'],
  [formatNumber(1_234.567), '1,234.57'],
  [formatCompact(9_999), '9,999'],
  [formatCompact(12_345), '12.3K'],
  [formatCompact(-12_345), '-12.3K'],
  [formatCount(1, 'time'), '1 time'],
  [formatCount(2, 'person', 'people'), '2 people'],
  [formatShare(0.1234), '12.3%'],
  [formatChange(0.5), '+50%'],
  [formatChange(0), '0%'],
  [formatDuration(0.85), '850 ms'],
  [formatDuration(0), '0s'],
  [formatDuration(59.6), '1m 00s'],
  [formatDuration(65), '1m 05s'],
  [formatDuration(7_380), '2h 03m'],
  [formatDuration(90_000), '1d 01h'],
  [regionName('de'), 'Germany'],
  [regionName('not a code'), 'not a code'],
  [languageName('de'), 'German'],
  [languageName('!'), '!'],
  [formatDate(NOW, 'Asia/Tokyo'), 'Nov 22, 2026'],
  [plain(formatDateTime('2026-11-22T23:00:00Z', 'Asia/Tokyo')), 'Nov 23, 2026, 8:00:00 AM'],
  [plain(formatDateRange('2026-11-01T00:00:00Z', '2026-11-07T00:00:00Z', 'UTC')), 'Nov 1 – 7, 2026'],
  [formatAgo(NOW - 180_000, NOW), '3 minutes ago'],
  [formatAgo(NOW, NOW), 'now'],
  [formatAgo(NOW + 86_400_000, NOW), 'tomorrow'],
  [bucketName('2026-11-22'), 'Nov 22'],
  [bucketName('2026-11-01', 'month'), 'Nov 2026'],
  [plain(bucketName('2026-11-22 14:00:00')), 'Sun 2:00 PM'],
  [bucketName('(none)'), '(none)'],
])('formats %s', (shown, expected) => expect(shown).toBe(expected))

test('shows a dash for what is no number or date', () => {
  const numbers = [formatWhole, formatNumber, formatCompact, formatShare, formatChange, formatDuration]
  expect(numbers.map((format) => format(Number.NaN))).toEqual(numbers.map(() => '–'))
  expect([formatDate('x', 'UTC'), formatDateRange('x', NOW, 'UTC'), formatAgo('x', NOW)]).toEqual(['–', '–', '–'])
})

test('writes CSV that a spreadsheet neither splits nor runs', () => {
  const rows = [
    ['a,b', 'say "x"', 'two\nlines', null, undefined],
    ['=1+1', '-2', -2, { a: 1 }, true],
  ]
  expect(toCsv(['one', 'two', 'three', 'four', 'five'], rows)).toBe(
    ['one,two,three,four,five', '"a,b","say ""x""","two\nlines",,', `'=1+1,'-2,-2,"{""a"":1}",true`].join('\r\n'),
  )
})

import { AGGREGATES, COMBINATORS } from '../../src/sql/catalog/functions/aggregates.ts'
import { ARRAY_FUNCTIONS } from '../../src/sql/catalog/functions/arrays.ts'
import { CONDITION_FUNCTIONS } from '../../src/sql/catalog/functions/conditions.ts'
import { CONVERSION_FUNCTIONS } from '../../src/sql/catalog/functions/conversions.ts'
import { DATE_FUNCTIONS } from '../../src/sql/catalog/functions/dates.ts'
import { HASH_FUNCTIONS } from '../../src/sql/catalog/functions/hashes.ts'
import { JSON_FUNCTIONS } from '../../src/sql/catalog/functions/json.ts'
import { NUMBER_FUNCTIONS } from '../../src/sql/catalog/functions/numbers.ts'
import { SCALARS } from '../../src/sql/catalog/functions/scalars.ts'
import { STRING_FUNCTIONS } from '../../src/sql/catalog/functions/strings.ts'
import { TUPLE_FUNCTIONS } from '../../src/sql/catalog/functions/tuples.ts'
import { URL_FUNCTIONS } from '../../src/sql/catalog/functions/urls.ts'
import { WINDOW_FUNCTIONS } from '../../src/sql/catalog/functions/windows.ts'
import { OPERATORS } from '../../src/flags/operators.ts'
import { TABLES } from '../../src/sql/catalog/tables.ts'
import { code, expectPage, read, table } from '../../../test/support/markdown.ts'

const PAGE = 'docs/reference/sql.md'
const [START, END] = ['<!-- functions -->', '<!-- end of functions -->']

const KINDS = {
  Strings: STRING_FUNCTIONS,
  URLs: URL_FUNCTIONS,
  Numbers: NUMBER_FUNCTIONS,
  Conditions: CONDITION_FUNCTIONS,
  'Dates and times': DATE_FUNCTIONS,
  Conversions: CONVERSION_FUNCTIONS,
  Arrays: ARRAY_FUNCTIONS,
  Tuples: TUPLE_FUNCTIONS,
  JSON: JSON_FUNCTIONS,
  Hashes: HASH_FUNCTIONS,
  Aggregates: AGGREGATES,
  'Window functions': WINDOW_FUNCTIONS,
}

const functions = () =>
  table(
    ['Kind', 'Functions'],
    Object.entries(KINDS).map(([kind, signatures]) => [kind, Object.keys(signatures).map(code).join(' ')]),
  )

test(`${PAGE} lists the functions that queries may call`, () => {
  const page = read(PAGE)
  const [before, rest] = page.split(`${START}\n`)
  const [, after] = rest!.split(`\n${END}`)
  expectPage(PAGE, `${before}${START}\n\n${functions()}\n\n${END}${after}`)
})

test('the kinds cover every scalar function', () => {
  const listed = Object.values(KINDS).flatMap((signatures) => Object.keys(signatures))
  expect(Object.keys(SCALARS).filter((name) => !listed.includes(name))).toEqual([])
})

test(`${PAGE} lists every table, column and aggregate suffix`, () => {
  const page = read(PAGE)
  // `$entry_utm_…`: the page lists a series of columns by their common prefix.
  const columns = Object.values(TABLES).flatMap((columns) => Object.keys(columns))
  const isNamed = (name: string) =>
    page.includes(`\`${name}\``) ||
    (/^\$(entry_utm|group)_/.test(name) && page.includes(`\`${name.replace(/[^_]+$/, '…')}\``))
  expect([...Object.keys(TABLES), ...columns, ...Object.keys(COMBINATORS)].filter((name) => !isNamed(name))).toEqual([])
})

test('docs/reference/protocol.md lists every flag operator', () => {
  const page = read('docs/reference/protocol.md')
  expect(Object.keys(OPERATORS).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

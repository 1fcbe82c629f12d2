import { SQLDialect } from '@codemirror/lang-sql'

const KEYWORDS = `select distinct from where prewhere group by having order asc desc nulls first last limit offset with as
  join inner left right full outer cross semi anti any asof on using union all except intersect array interval
  case when then else end and or not in like ilike between is null true false cast over partition rows range
  unbounded preceding following current row window global final sample qualify extract if second minute hour day week month quarter year`

const TYPES = `string text int integer bigint int8 int16 int32 int64 uint8 uint16 uint32 uint64 float float32 float64
  double bool boolean date datetime datetime64 uuid array nullable`

const words = (text: string) => text.split(/\s+/).join(' ')

/** The SQL of queries, see docs/reference/sql.md. Variables stand in braces. */
export const dialect = SQLDialect.define({
  keywords: words(KEYWORDS),
  types: words(TYPES),
  backslashEscapes: true,
  doubleQuotedStrings: false,
  identifierQuotes: '`"',
  operatorChars: '*+-%<>!=&|^/?:',
  specialVar: '',
  hashComments: false,
  slashComments: true,
  spaceAfterDashes: false,
})

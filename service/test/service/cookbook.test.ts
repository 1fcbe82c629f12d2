import { api, request } from '../support/api.ts'
import { sharedService, type SharedService } from '../support/sharedService.ts'
import { cell, expectPage, read, table } from '../../../test/support/markdown.ts'
import { createRandom } from '../../../examples/demoData/random.mjs'
import { generateEvents } from '../../../examples/demoData/visits.mjs'

const PAGE = 'docs/reference/sql-cookbook.md'
/** The shop that the results on the page are of. */
const SHOP = { count: 20_000, days: 31, now: Date.UTC(2026, 10, 1), pages: {} }
const BATCH = 2_000
const MAX_ROWS = 5
const MAX_CELL = 60

/** A recipe: its title, its query, the variables of its run, and the table of its result. */
const RECIPE =
  /^### (?<title>.+)\n\n[^\n][\s\S]*?```sql\n(?<sql>[\s\S]+?)\n```\n\n(?:With `(?<variables>\{.*\})`|Without variables):\n\n(?<result>(?:\|.*\n)+)/gm

const page = read(PAGE)
const recipes = [...page.matchAll(RECIPE)].map(
  ({ groups }) => groups as Record<'title' | 'sql' | 'result', string> & { variables?: string },
)

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return cell(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text)
}

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
  const events = [...generateEvents({ ...SHOP, random: createRandom(1) })]
  for (let at = 0; at < events.length; at += BATCH) {
    const batch = events.slice(at, at + BATCH)
    const sent = await request(`${service.url}/batch/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: service.token, historical_migration: true, batch }),
    })
    expect(sent.status).toBe(200)
  }
  for (const [, name, type] of page.matchAll(/^\| `(\w+)` \| (\w+) \|$/gm))
    expect(await api(service, 'POST', '/insight_variables/', { name, type })).toMatchObject({ status: 201 })
})

/** Creates and runs the endpoint of a recipe. Returns the table of its result. */
const run = async ({ title, sql, variables = '{}' }: (typeof recipes)[number]): Promise<string> => {
  const name = title.toLowerCase().replace(/\W+/g, '_')
  const created = await api(service, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query: sql } })
  if (created.status !== 201) throw new Error(`${title}: ${JSON.stringify(created.body)}`)
  const { status, body } = await api(service, 'POST', `/endpoints/${name}/run`, { variables: JSON.parse(variables) })
  if (status !== 200) throw new Error(`${title}: ${JSON.stringify(body)}`)
  if (!body.results.length) throw new Error(`${title}: no rows`)
  const rows = (body.results as unknown[][]).slice(0, MAX_ROWS).map((row) => row.map(shown))
  return `${table(body.columns, rows)}\n`
}

test(`${PAGE} has 40 endpoints, each with the result that it has`, async () => {
  expect(recipes).toHaveLength(40)
  let generated = page
  for (const recipe of recipes) {
    const before = `\`\`\`sql\n${recipe.sql}\n\`\`\``
    const at = generated.indexOf(before) + before.length
    const result = await run(recipe)
    generated = generated.slice(0, at) + generated.slice(at).replace(recipe.result, () => result)
  }
  expectPage(PAGE, generated)
})

/** @jest-environment node */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const FILE = resolve(__dirname, '../../src/cli/migrate/posthog.json')
const page = readFileSync(resolve(__dirname, '../../docs/reference/posthog-js.md'), 'utf8')

/** Returns the table of a section: per name, whether it works (`same`, `differs`, `missing`) and the difference. */
const tableOf = (heading: string) => {
  const section = page.split(/^## /m).find((each) => each.startsWith(heading))!
  const rows = section.split('\n').flatMap((line) => {
    const [, names = '', mark = '', note = ''] = line.split('|').map((cell) => cell.trim())
    const status = ({ '✔': 'same', '≈': 'differs', '✘': 'missing' } as Record<string, string>)[mark]
    const text = note.replace(/ ?\(?\[([^\]]+)\]\([^)]+\)\)?/g, '').replace(/`/g, '')
    return status ? [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, [status, text]] as const) : []
  })
  return Object.fromEntries(rows)
}

/** Returns the names of the types that are also in posthog-js. */
const typeNames = () =>
  ['client/posthogTypes.ts', 'types.ts'].flatMap((file) =>
    [...readFileSync(resolve(__dirname, '../../src', file), 'utf8').matchAll(/^export (?:type|interface) (\w+)/gm)].map(
      ([, name]) => name!,
    ),
  )

// `trailmark migrate posthog-js` reports what the page says.
test('src/cli/migrate/posthog.json has the tables of docs/reference/posthog-js.md', () => {
  const tables = { members: tableOf('The object'), options: tableOf('Options'), types: typeNames() }
  const text = `${JSON.stringify(tables, null, 2)}\n`
  if (process.env.WRITE_DOCS) writeFileSync(FILE, text)
  expect(tables.members['capture']![0]).toBe('differs')
  expect(tables.options['asset_host']![0]).toBe('missing')
  expect(JSON.parse(existsSync(FILE) ? readFileSync(FILE, 'utf8') : 'null')).toEqual(tables)
})

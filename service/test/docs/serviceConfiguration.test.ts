import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { configTable } from '../../src/config.ts'
import { SCOPES } from '../../src/http/auth.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { METRICS } from '../../src/lib/metrics.ts'

const FILE = resolve(__dirname, '../../../docs/reference/service-configuration.md')

const cell = (text: string) => text.replaceAll('|', '\\|')
const code = (text: string) => `\`${cell(text)}\``
const table = (heads: string[], rows: string[][]) =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** docs/reference/service-configuration.md, out of the tables that the service itself runs on. */
const generate = () => {
  const routesOf = (scope: string) =>
    ROUTES.filter(({ access }) => access === scope).map(({ method, path }) =>
      code(`${method} ${path.replace(':projectId', '{id}').replace(/:(\w+)/g, '{$1}')}`),
    )
  return `<!-- Made by \`npm run docs\` out of service/src/config.ts, http/auth.ts, http/routes.ts and lib/metrics.ts; do not edit. -->
# The service's configuration

[operations.md](../operate/operations.md) says how it is used.

## Environment

Read once, at the start, by \`trailmark serve\` and by every other command. An empty value counts as absent. A value that
cannot be used ends the start with a sentence that says what would be right.

${table(
  ['Variable', 'Default', 'Meaning'],
  configTable().map(({ name, fallback, what }) => [code(name), fallback ? code(fallback) : '–', cell(what)]),
)}

## Scopes of personal API keys

Every address is public (what pages send and fetch, \`/_health\`, \`/_readiness\`, \`/api/openapi.json\`) or takes a key with the scope here.

${table(
  ['Scope', 'Addresses'],
  SCOPES.map((scope) => [code(scope), routesOf(scope).join('<br>')]),
)}

## Metrics

\`GET /metrics\`, by a key of all projects with the scope \`metrics:read\`.

${table(
  ['Name', 'Type', 'Labels', 'Meaning'],
  Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    labels.map(code).join(', ') || '–',
    cell(help),
  ]),
)}
`
}

test('docs/reference/service-configuration.md is what the tables say (npm run docs writes it)', () => {
  const current = generate()
  if (process.env.WRITE_DOCS) writeFileSync(FILE, current)
  expect(readFileSync(FILE, 'utf8')).toBe(current)
})

test('every scope opens something', () => {
  expect(SCOPES.filter((scope) => !ROUTES.some(({ access }) => access === scope))).toEqual([])
})

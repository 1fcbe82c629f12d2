/** @jest-environment node */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { DATED_DEFAULTS } from '../../src/config/datedDefaults'
import { OPTIONS } from '../../src/config/options'
import { RENAMES } from '../../src/config/renames'

const ROOT = resolve(__dirname, '../..')
const FILE = resolve(ROOT, 'docs/reference/configuration.md')

/** The interfaces of src/types.ts: for each member its type as written and its docstring. */
const readInterfaces = () => {
  const source = ts.createSourceFile(
    'types.ts',
    readFileSync(resolve(ROOT, 'src/types.ts'), 'utf8'),
    ts.ScriptTarget.ES2022,
    true,
  )
  return Object.fromEntries(
    source.statements.filter(ts.isInterfaceDeclaration).map((declaration) => [
      declaration.name.text,
      declaration.members.filter(ts.isPropertySignature).map((member) => ({
        name: member.name.getText(),
        type: member.type!.getText().replace(/\s+/g, ' '),
        doc: ts
          .getJSDocCommentsAndTags(member)
          .map((each) => String(each.comment ?? ''))
          .join(' ')
          .replace(/\s+/g, ' '),
      })),
    ]),
  )
}

const cell = (text: string) => text.replaceAll('|', '\\|')
const code = (text: string) => `\`${cell(text)}\``
const shown = (value: unknown) =>
  typeof value === 'function' ? 'a function that changes nothing' : code(JSON.stringify(value) ?? 'undefined')
const table = (heads: string[], rows: string[][]) =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** docs/reference/configuration.md, out of the tables that the SDK itself runs on. */
const generate = () => {
  const { Config, AutocaptureConfig, RageclickConfig } = readInterfaces()
  const datedOf = (name: string) =>
    DATED_DEFAULTS.filter(([, changes]) => name in changes)
      .map(([since, changes]) => `; from ${since}: ${shown(changes[name as keyof typeof changes])}`)
      .join('')
  const oldNames = (name: string) =>
    Object.entries(RENAMES)
      .filter(([, today]) => today === name)
      .map(([old]) => old)
  const options = Config!.map(({ name, type, doc }) => {
    const [fallback, , later] = OPTIONS[name as keyof typeof OPTIONS]
    const also = oldNames(name).length ? ` Also called ${oldNames(name).map(code).join(', ')}.` : ''
    // Its default prints the status: the one function whose work is worth naming.
    const byDefault = name === 'on_request_error' ? 'logs status and text' : shown(fallback)
    return [
      code(name),
      code(type),
      `${byDefault}${datedOf(name)}`,
      `${cell(doc)}${also}${later ? ' *Accepted, without effect in this version.*' : ''}`,
    ]
  })
  const members = (all: typeof Config) =>
    table(
      ['Member', 'Type', 'Meaning'],
      all!.map(({ name, type, doc }) => [code(name), code(type), cell(doc)]),
    )
  return `<!-- Made by \`npm run docs\` out of src/types.ts and src/config; do not edit. -->
# Configuration

\`analytics.init(token, options)\` takes these at start-up, \`analytics.set_config(options)\` changes them later. A value of a
wrong type is one line in the console, and the default (or what was there) holds.

\`defaults\` chooses a date: every changed default dated on or before it holds. What you give yourself always beats a
default. Dates with changes: ${DATED_DEFAULTS.map(([since]) => code(since)).join(', ')}.

${table(['Option', 'Type', 'Default', 'Meaning'], options)}

## \`autocapture\` as an object

${members(AutocaptureConfig)}

## \`rageclick\` as an object

${members(RageclickConfig)}
`
}

test('docs/reference/configuration.md is what the tables say (npm run docs writes it)', () => {
  const current = generate()
  if (process.env.WRITE_DOCS) writeFileSync(FILE, current)
  expect(readFileSync(FILE, 'utf8')).toBe(current)
})

test('every option says what it means', () => {
  const { Config } = readInterfaces()
  expect(Config!.filter(({ doc }) => !doc).map(({ name }) => name)).toEqual([])
  expect(Config!.map(({ name }) => name).sort()).toEqual(Object.keys(OPTIONS).sort())
})

// The API report: the declarations that the npm package ships, without comments, in api/. A change of the public API shows
// as a change of these files. `npm run api` writes them after a build; with --check the script compares them instead.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { format } from './format.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const isCheck = process.argv.includes('--check')

const printer = ts.createPrinter({ removeComments: true })

/** Returns the declarations of an entry without comments. */
const declarationsOf = (entry) => {
  const file = `${ROOT}dist/esm/${entry}.d.ts`
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022)
  return source.statements.map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, source))
}

/** Returns the report of an entry, formatted as in `file`: of `parts/core`, only what differs from `main`. */
const report = (entry, file) => {
  const main = entry === 'parts/core' ? declarationsOf('main') : []
  const text = declarationsOf(entry).filter((declaration) => !main.includes(declaration))
  if (main.length) text.unshift('// All other declarations are those of main.d.ts.')
  return format(file, text.join('\n'))
}

mkdirSync(`${ROOT}api`, { recursive: true })
for (const entry of ['main', 'endpoints', 'chart', 'parts/core']) {
  const name = basename(entry)
  const file = `${ROOT}api/${name}.d.ts`
  const current = report(entry, file)
  if (!isCheck) writeFileSync(file, current)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== current) {
    console.error(
      `The public API differs from api/${name}.d.ts. If that is intended, run: npm run build:sdk && npm run api`,
    )
    process.exitCode = 1
  }
}

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

/** Returns the declarations of a file without comments, formatted as in the report. */
const reportOf = (file, report) => {
  const source = ts.createSourceFile(file, readFileSync(`${ROOT}dist/${file}`, 'utf8'), ts.ScriptTarget.ES2022)
  const declarations = source.statements.map((each) => printer.printNode(ts.EmitHint.Unspecified, each, source))
  return format(report, declarations.join('\n'))
}

// `types` has what all entries share.
const FILES = ['types.d.cts', 'esm/main.d.ts', 'esm/parts/core.d.ts', 'esm/endpoints.d.ts', 'esm/chart.d.ts']

mkdirSync(`${ROOT}api`, { recursive: true })
for (const source of FILES) {
  const name = basename(source).replace(/\..*/, '')
  const file = `${ROOT}api/${name}.d.ts`
  const current = reportOf(source, file)
  if (!isCheck) writeFileSync(file, current)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== current) {
    console.error(
      `The public API differs from api/${name}.d.ts. If that is intended, run: npm run build:sdk && npm run api`,
    )
    process.exitCode = 1
  }
}

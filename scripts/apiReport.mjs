// The API report: the declarations that the npm package ships, without comments, in api/. A change of the public API shows
// as a change of these files. `npm run api` writes them after a build; with --check the script compares them instead.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import prettier from 'prettier'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const isCheck = process.argv.includes('--check')

/** Returns the declarations of a file without comments, formatted like the sources. */
const report = async (file) => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022)
  const text = ts.createPrinter({ removeComments: true }).printFile(source)
  return prettier.format(text, { ...(await prettier.resolveConfig(file)), parser: 'typescript' })
}

mkdirSync(`${ROOT}api`, { recursive: true })
for (const entry of ['main', 'endpoints', 'parts/core']) {
  const name = basename(entry)
  const file = `${ROOT}api/${name}.d.ts`
  const current = await report(`${ROOT}dist/esm/${entry}.d.ts`)
  if (!isCheck) writeFileSync(file, current)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== current) {
    console.error(
      `The public API differs from api/${name}.d.ts. If that is intended, run: npm run build:sdk && npm run api`,
    )
    process.exitCode = 1
  }
}

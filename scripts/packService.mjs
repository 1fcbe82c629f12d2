// `npm run pack:service`: packs the built service as the npm package `trailmark-service`, which `npx trailmark-service` starts.
// Usage: node scripts/packService.mjs [folder]. Default folder: dist. Run `npm run build` before.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { options } from '../service/esbuild.config.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const read = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

/** [source, path in the package]. Source maps stay out: they are two thirds of the files. */
const PARTS = [
  ['service/bin', 'bin'],
  ['service/dist', 'dist'],
  ['service/console/dist', 'console/dist'],
  ['site/dist', 'docs'],
  ['LICENSE', 'LICENSE'],
]
const isPacked = (path) => !path.endsWith('.map') || path.includes('console')

/** Returns the SDK scripts that the service serves and their compressed copies, as the build's manifest lists them. */
const served = () =>
  ['release.json', 'licenses.txt', ...Object.keys(read('dist/release.json').files)].flatMap((name) =>
    ['', '.gz', '.br', '.map'].map((end) => `${name}${end}`).filter((each) => existsSync(join(ROOT, 'dist', each))),
  )

/** The bundle contains every dependency but those that it loads by name. */
const manifest = () => {
  const { version } = read('package.json')
  const { description, license, type, bin, engines, dependencies, optionalDependencies } = read('service/package.json')
  const { repository, homepage, bugs } = read('package.json')
  const loaded = Object.entries(dependencies).filter(([name]) => options.external.includes(name))
  return {
    name: 'trailmark-service',
    version,
    description,
    license,
    repository,
    homepage,
    bugs,
    type,
    bin,
    engines,
    dependencies: Object.fromEntries(loaded),
    optionalDependencies,
  }
}

const README = `# trailmark-service

The [Trailmark](https://github.com/trailmark/trailmark) service: receives events of the SDK, answers feature flags, stores named endpoints
and runs them. One process, one data folder.

\`\`\`sh
npx trailmark-service
\`\`\`

It prints a link to its console and the script tag for your pages. Events are in \`.data\` unless \`--data <folder>\` or \`TRAILMARK_DATA\` names
another folder. It installs an embedded ClickHouse of about 540 MB; with \`CLICKHOUSE_URL\` it uses your server, and
\`npm install --omit=optional trailmark-service\` leaves the embedded one out. Docs: https://github.com/trailmark/trailmark/tree/main/docs
`

const main = ([folder = join(ROOT, 'dist')]) => {
  const missing = [...PARTS.map(([from]) => from), 'dist/release.json'].find((path) => !existsSync(join(ROOT, path)))
  if (missing) throw new Error(`${missing} is missing: run "npm run build" first.`)
  const stage = mkdtempSync(join(tmpdir(), 'trailmark-pack-'))
  try {
    for (const [from, to] of PARTS)
      cpSync(join(ROOT, from), join(stage, to), { recursive: true, filter: (path) => isPacked(path) })
    mkdirSync(join(stage, 'static'))
    for (const name of served()) cpSync(join(ROOT, 'dist', name), join(stage, 'static', name))
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
    writeFileSync(join(stage, 'README.md'), README)
    mkdirSync(folder, { recursive: true })
    const out = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', resolve(folder)], {
      cwd: stage,
      encoding: 'utf8',
    })
    process.stdout.write(`${join(resolve(folder), out.trim())}\n`)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

main(process.argv.slice(2))

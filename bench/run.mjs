// `npm run bench`: installs missing dependencies of this folder, then runs all benchmarks, or those named as arguments.
// A benchmark is a folder with a main.mjs that exports `title`, `needs` (npm scripts of the root to run first), `needsPeers`
// (whether it measures other SDKs, which are dependencies of this folder), `flags` (optional; names of its flags
// --name=value) and `run({ quick, say, ...flags })`, which resolves with its report as Markdown.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

const HERE = new URL('.', import.meta.url)
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const benchmarks = readdirSync(HERE).filter((name) => existsSync(new URL(`${name}/main.mjs`, HERE)))

// Progress goes to stderr, so that stdout contains only the report.
const say = (line) => process.stderr.write(`${line}\n`)
const npm = (...args) => {
  say(`npm ${args.join(' ')}`)
  if (spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2] }).status !== 0)
    throw new Error(`\`npm ${args.join(' ')}\` failed. Its output is above.`)
}
const changed = (path) => statSync(new URL(path, HERE), { throwIfNoEntry: false })?.mtimeMs ?? 0
const installMissing = () => {
  // npm writes the second file when it has installed the packages of the first.
  if (changed('package-lock.json') > changed('node_modules/.package-lock.json')) npm('ci', '--prefix', 'bench')
}

const main = async (args) => {
  const quick = args.includes('--quick')
  const named = args.filter((arg) => benchmarks.includes(arg))
  const chosen = await Promise.all(
    (named.length ? named : benchmarks).map(async (name) => ({
      name,
      flags: [],
      ...(await import(`./${name}/main.mjs`)),
    })),
  )
  const known = chosen.flatMap(({ flags }) => flags)
  const values = Object.fromEntries(
    args.flatMap((arg) => [/^--(\w+)=(.+)$/.exec(arg)].filter(Boolean).map(([, flag, value]) => [flag, value])),
  )
  const unknown = args.filter(
    (arg) => arg !== '--quick' && !benchmarks.includes(arg) && !known.some((flag) => arg.startsWith(`--${flag}=`)),
  )
  if (unknown.length)
    throw new Error(
      `Unknown benchmark or flag: ${unknown.join(', ')}. Expected: ${[...benchmarks, '--quick', ...known.map((flag) => `--${flag}=…`)].join(', ')}`,
    )
  for (const { name, title, needs, needsPeers, flags, run } of chosen) {
    if (needsPeers) installMissing()
    needs.forEach((script) => npm('run', script))
    const start = Date.now()
    const report = await run({
      ...Object.fromEntries(flags.map((flag) => [flag, values[flag]])),
      quick,
      say: (line) => say(`${name}: ${line}`),
    })
    const facts = `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}, ${Math.round((Date.now() - start) / 1000)} s${quick ? ', quick' : ''}`
    console.log(`## ${title}\n\n${facts}, ${report}\n`)
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  say(error.message)
  process.exitCode = 1
}

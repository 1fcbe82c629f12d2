import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

// Debian keeps servers in folders that only the path of root has.
const folders = () => [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

const installed = ({ variable, bundled, names, files = [] }) =>
  [
    process.env[variable],
    bundled?.(),
    ...folders().flatMap((folder) => names.map((name) => join(folder, name))),
    ...files,
  ].find((file) => file && isExecutable(file))

const mayInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs a Debian package. Other workers that do so wait, because only one `apt-get update` can run at a time. */
const install = (name) =>
  execFileSync(
    'flock',
    [
      join(tmpdir(), 'trailmark-apt.lock'),
      'sh',
      '-c',
      'apt-get update -q && exec apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "$0"',
      name,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } },
  )

/**
 * Returns the path of a program that tests need: the one that the environment variable `variable` names, or one that is
 * installed, by its `names` or in `files`. On Debian, as root, installs the package `debian`. Throws with `advice` if all
 * of that fails.
 */
export const findProgram = (program, say = console.log) => {
  const found = installed(program)
  if (found) return found
  const [name] = program.names
  if (mayInstall()) {
    say(`No ${name} found. Installing Debian's package ${program.debian}.`)
    install(program.debian)
    const now = installed(program)
    if (now) return now
  }
  throw new Error(`The end-to-end tests need ${name}, which is not installed. ${program.advice}`)
}

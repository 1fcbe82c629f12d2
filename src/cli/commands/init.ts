import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Io } from '../io'
import { type Change, colored, describeChange } from '../diff'
import { requireCleanTree } from '../git'
import { type Framework, frameworkOf, FRAMEWORKS, type Settings } from '../init/frameworks'
import { type Plan, planInit, planUndo } from '../init/plan'
import { openProject, packageManagerOf, type Project } from '../init/project'
import { sendTestEvent } from '../init/testEvent'
import { type Terminal, terminalOf } from '../terminal'

const HELP = `Usage: trailmark init [options]

  Adds the SDK to the project in this folder: installs it, writes a file of variables and a module that starts it, and
  imports that. Shows the difference first, and sends a test event. Knows Next.js, Nuxt, SvelteKit, Astro, Angular, React
  Router, Vite (React, Vue, Svelte) and plain HTML.

  --host <url>           TRAILMARK_HOST   URL of the service
  --token <token>        TRAILMARK_TOKEN  public token of the project
  --package <spec>       what to install. Default: trailmark
  --yes                  asks nothing
  --dry-run              only shows what would change
  --undo                 removes what init has added
  --no-test              sends no test event
  --ignore-git-changes   also if git has uncommitted changes
  --json                 prints the result as JSON`

const OPTIONS = {
  host: { type: 'string' },
  token: { type: 'string' },
  package: { type: 'string', default: 'trailmark' },
  yes: { type: 'boolean', short: 'y', default: false },
  'dry-run': { type: 'boolean', default: false },
  undo: { type: 'boolean', default: false },
  'no-test': { type: 'boolean', default: false },
  'ignore-git-changes': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** Actions of the command outside of the project's files. Tests pass their own. */
export interface Tools extends Terminal {
  install(command: string, args: readonly string[], folder: string): void
  sendTestEvent(settings: Settings): Promise<void>
}

const toolsOf = (io: Io): Tools => ({
  ...terminalOf(io),
  // The package manager's output is not part of the result. On Windows, package managers are scripts, which need a
  // shell.
  install: (command, args, cwd) =>
    void execFileSync(command, [...args], { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' }),
  sendTestEvent,
})

/** Returns a value of an option, of a variable or of a person. Throws if nobody can be asked. */
const settingOf = async (
  { name, value, what }: { name: string; value: string | undefined; what: string },
  { isInteractive, ask }: Terminal,
): Promise<string> => {
  const given = value ?? (isInteractive ? await ask(`${what}: `) : undefined)
  if (!given) throw new Error(`Missing --${name} <${what}>.`)
  return given
}

const settingsOf = async (values: Values, { env }: Io, terminal: Terminal): Promise<Settings> => {
  const host = await settingOf(
    { name: 'host', value: values.host ?? env.TRAILMARK_HOST, what: 'URL of the service' },
    terminal,
  )
  const token = await settingOf(
    { name: 'token', value: values.token ?? env.TRAILMARK_TOKEN, what: 'public token of the project' },
    terminal,
  )
  if (!/^https?:\/\/[^\s'"<>`]+$/.test(host))
    throw new Error(`--host must be a URL such as https://events.example.com.`)
  if (token.startsWith('phx_'))
    throw new Error('--token is a personal API key, which must not be in a page. Pass the public token of the project.')
  if (!/^[\w-]+$/.test(token)) throw new Error('--token has letters, digits, _ and - only.')
  return { host: host.replace(/\/+$/, ''), token }
}

const write = (root: string, changes: readonly Change[]) => {
  for (const { path, after } of changes) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    if (after === undefined) rmSync(file)
    else writeFileSync(file, after)
  }
}

/** Returns what the package manager has to do, if anything. */
const installStep = (project: Project, { name }: Framework, values: Values) => {
  const { name: command, add, remove } = packageManagerOf(project)
  const isNeeded = name !== 'HTML' && project.has('trailmark') === values.undo
  return isNeeded ? { command, args: values.undo ? [...remove, 'trailmark'] : [...add, values.package] } : undefined
}

const nothing = { host: '', token: '' }

/** Runs `trailmark init` with these tools. */
export const runInit = async (args: readonly string[], io: Io, tools: Tools): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const say = values.json ? () => undefined : io.out
  if (values.help) {
    io.out(HELP)
    return 0
  }
  const project = openProject(io.cwd)
  const framework = frameworkOf(project)
  if (!framework)
    throw new Error(
      `This folder has no known framework (${FRAMEWORKS.map(({ name }) => name).join(', ')}). Start the SDK by hand: docs/guides/getting-started.md.`,
    )
  const isWriting = !values['dry-run']
  if (isWriting) requireCleanTree(io.cwd, values['ignore-git-changes'])
  const settings = values.undo ? nothing : await settingsOf(values, io, tools)
  const plan: Plan = values.undo ? planUndo(project, framework, settings) : planInit(project, framework, settings)
  const step = installStep(project, framework, values)
  say(`${framework.name}, ${packageManagerOf(project).name}`)
  for (const change of plan.changes)
    for (const line of describeChange(change)) say(tools.hasColors ? colored(line) : line)
  if (step) say(`Runs: ${step.command} ${step.args.join(' ')}`)
  const isNeeded = plan.changes.length > 0 || step !== undefined
  if (isWriting && isNeeded && !values.yes) {
    if (!tools.isInteractive) throw new Error('Missing --yes (or --dry-run, which writes nothing).')
    if (!/^y(?:es)?$/i.test(await tools.ask('Write this? [y/N] '))) return 1
  }
  const isTested = isWriting && !values.undo && !values['no-test']
  // Before anything is written, so that a wrong host or token changes nothing.
  if (isTested) await tools.sendTestEvent(settings)
  if (isTested) say('The service has stored a test event, "trailmark init".')
  if (isWriting && step) tools.install(step.command, step.args, io.cwd)
  if (isWriting) write(io.cwd, plan.changes)
  for (const each of plan.advice) say(`By hand: ${each}`)
  if (!isNeeded) say('Nothing to change.')
  if (values.json)
    io.out(
      JSON.stringify({
        framework: framework.name,
        packageManager: packageManagerOf(project).name,
        written: isWriting && isNeeded,
        changes: plan.changes,
        command: step && [step.command, ...step.args].join(' '),
        testEvent: isTested,
        byHand: plan.advice,
      }),
    )
  return 0
}

/** Runs `trailmark init`. */
export const run = (args: readonly string[], io: Io): Promise<number> => runInit(args, io, toolsOf(io))

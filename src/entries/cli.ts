import { COMMANDS } from '../cli/commands'
import type { Io } from '../cli/io'
import { runCommand } from '../cli/runCommand'
import { runCli } from '../sourcemaps/cli'
import { VERSION } from '../version'

const helpText = () => {
  const commands = { ...COMMANDS, sourcemaps: { summary: 'Upload source maps' } }
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  return [
    `trailmark ${VERSION}\n\nUsage: trailmark <command> [options]\n`,
    ...rows,
    '\ntrailmark <command> --help describes a command.',
  ].join('\n')
}

const main = async (args: readonly string[], io: Io): Promise<number> => {
  const [name = '--help'] = args
  if (name === '--version' || name === '--help') {
    io.out(name === '--help' ? helpText() : VERSION)
    return 0
  }
  // npx may run an older release than the newest, without a word.
  if (Object.hasOwn(COMMANDS, name)) io.err(`trailmark ${VERSION}`)
  return (await runCommand(args, io)) ?? runCli(args)
}

const io = { out: console.log, err: console.error, cwd: process.cwd(), env: process.env }
// Not awaited here, because the commands are in the same file, below this.
void main(process.argv.slice(2), io).then((code) => {
  process.exitCode = code
})

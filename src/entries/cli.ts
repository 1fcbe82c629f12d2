import { runCommand } from '../cli/runCommand'
import { runCli } from '../sourcemaps/cli'

const args = process.argv.slice(2)
const io = { out: console.log, err: console.error, cwd: process.cwd(), env: process.env }
process.exitCode = (await runCommand(args, io)) ?? (await runCli(args))

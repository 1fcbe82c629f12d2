import { runCommand } from '../cli/runCommand'
import { runCli } from '../sourcemaps/cli'

const args = process.argv.slice(2)
const io = { out: console.log, err: console.error, cwd: process.cwd(), env: process.env }
// Not awaited here, because the commands are in the same file, below this.
void runCommand(args, io).then(async (code) => {
  process.exitCode = code ?? (await runCli(args))
})

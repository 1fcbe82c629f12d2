import { runCli } from '../sourcemaps/cli'

process.exitCode = await runCli(process.argv.slice(2))

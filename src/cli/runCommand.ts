import { COMMANDS } from './commands'
import type { Io } from './io'

/** Runs a command line of the table `COMMANDS`. Returns the exit code, or `undefined` for other commands. */
export const runCommand = async (args: readonly string[], io: Io): Promise<number | undefined> => {
  const [name = '', ...rest] = args
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    return await command?.run(rest, io)
  } catch (error) {
    io.err((error as Error).message)
    return 1
  }
}

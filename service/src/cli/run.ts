import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AGENT_COMMANDS } from './agentCommands.ts'
import { BACKUP_COMMANDS } from './backupCommands.ts'
import { type Command, type CommandResult, type CommandCall, CommandError, type Option } from './command.ts'
import { CONSOLE_COMMANDS } from './consoleCommands.ts'
import { EXPORT_COMMANDS } from './exportCommands.ts'
import { IMPORT_COMMANDS } from './importCommands.ts'
import { KEY_COMMANDS } from './keyCommands.ts'
import { PROJECT_COMMANDS } from './projectCommands.ts'

/** All commands of the command line except `serve`. */
export const COMMANDS: readonly Command[] = [
  ...PROJECT_COMMANDS,
  ...KEY_COMMANDS,
  ...CONSOLE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...EXPORT_COMMANDS,
  ...IMPORT_COMMANDS,
  ...AGENT_COMMANDS,
]

const COMMON: Readonly<Record<string, Option>> = {
  data: { value: 'folder', what: 'The data folder, instead of TRAILMARK_DATA.' },
  json: { what: 'Prints JSON.' },
}

const usageOf = ({ name, words, options }: Command): string =>
  [
    'trailmark',
    name,
    ...words.map((word) => `<${word}>`),
    ...Object.entries(options).map(([option, { value }]) => `[--${option}${value ? ` <${value}>` : ''}]`),
  ].join(' ')

/** Returns the lines for `--help`. */
export const describeCommands = (): string =>
  [
    ...COMMANDS.map((command) => `  ${usageOf(command)}\n      ${command.what}`),
    `  serve accepts --data <folder> and --small (like TRAILMARK_SMALL=1). Every other command accepts ${Object.entries(
      COMMON,
    )
      .map(([option, { what, value }]) => `--${option}${value ? ` <${value}>` : ''} (${what.replace(/\.$/, '')})`)
      .join(' and ')}.`,
  ].join('\n')

const findCommand = (args: readonly string[]): { command: Command; rest: string[] } => {
  for (const command of COMMANDS) {
    const name = command.name.split(' ')
    if (name.every((word, at) => args[at] === word)) return { command, rest: args.slice(name.length) }
  }
  const group = COMMANDS.filter(({ name }) => name.split(' ')[0] === args[0]).map(({ name }) => name)
  throw new CommandError(
    group.length
      ? `"${args[0]}" expects one of: ${group.join(', ')}.`
      : `unknown command "${args[0]}". Commands: serve, ${COMMANDS.map(({ name }) => name).join(', ')}. "trailmark --help" explains them.`,
  )
}

/** Runs the command in `args`. Throws `CommandError`, `ConfigError` and `ApiError`, each with a message for people. */
export const runCommand = async (
  args: readonly string[],
  { dataDir, ...more }: Omit<CommandCall, 'words' | 'options'>,
): Promise<CommandResult & { readonly isJson: boolean }> => {
  const { command, rest } = findCommand(args)
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...COMMON }).map(([name, { value }]) => [
      name,
      { type: value ? 'string' : 'boolean' } as const,
    ]),
  )
  let parsed: { values: Record<string, string | boolean | undefined>; positionals: string[] }
  try {
    parsed = parseArgs({ args: rest, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new CommandError(`${(error as Error).message.split('. ')[0]}. Usage: ${usageOf(command)}`)
  }
  if (parsed.positionals.length !== command.words.length)
    throw new CommandError(
      `${parsed.positionals.length > command.words.length ? `"${parsed.positionals[command.words.length]}" is an unexpected argument (quote names with spaces)` : `<${command.words[parsed.positionals.length]}> is missing`}. Usage: ${usageOf(command)}`,
    )
  const { data, json, ...given } = parsed.values
  const result = await command.run({
    ...more,
    words: parsed.positionals,
    options: given,
    dataDir: typeof data === 'string' ? resolve(data) : dataDir,
  })
  return { ...result, isJson: json === true }
}

/** Where a command reads and writes. */
export interface Io {
  /** Writes a line of the result. */
  out(line: string): void
  /** Writes a line that is no result. */
  err(line: string): void
  /** The current folder. */
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** Runs a command with the arguments after its name. Resolves with the exit code. */
export type Run = (args: readonly string[], io: Io) => Promise<number>

export interface Command {
  /** One line of the help. */
  summary: string
  run: Run
}

/** The commands, by name. Each is a file in `commands/`, which is imported when it runs. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  check: {
    summary: 'Look for mistakes in a page that uses the SDK',
    run: async (...call) => (await import('./commands/check')).run(...call),
  },
  init: {
    summary: 'Add the SDK to a project',
    run: async (...call) => (await import('./commands/init')).run(...call),
  },
  migrate: {
    summary: 'Change code from posthog-js to the SDK',
    run: async (...call) => (await import('./commands/migrate')).run(...call),
  },
}

/** Input and output of a command. */
export interface Io {
  /** Writes a line of the result. */
  out(line: string): void
  /** Writes a line that is not part of the result. */
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

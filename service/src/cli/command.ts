import type { Schema } from '../storage/schema/schema.ts'
import type { Engine } from '../storage/embedded/engine.ts'
import type { StorageLocation } from '../storage/location.ts'

/** A command failed. The message says why and what to do. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** Input of a command. */
export interface CommandCall extends StorageLocation {
  /** Positional arguments after the command's name. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  /** Environment variables that are not configuration of the service. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** All scopes a key may have. */
  readonly scopes: readonly string[]
  readonly clickhouseCluster: string | undefined
  /** Starts the embedded engine in a data folder. */
  readonly startEngine: (dataDir: string) => Promise<Engine>
  /** Loads the tables and migrations of the event store. */
  readonly loadSchema: () => Promise<Schema>
}

/** Output of a command: lines for people, and the same as data for programs. */
export interface CommandResult {
  readonly lines: readonly string[]
  readonly data: unknown
}

export interface Option {
  /** Name of the option's value. Absent: the option is a switch. */
  readonly value?: string
  readonly what: string
}

/** One command of the command line. */
export interface Command {
  /** Name of the command, such as `key create`. */
  readonly name: string
  /** Names of the positional arguments. All are required. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  readonly what: string
  readonly run: (call: CommandCall) => Promise<CommandResult>
}

import type { Engine } from '../storage/embedded/engine.ts'
import type { StorageLocation } from '../storage/location.ts'

/** A command that cannot be done. Its message says why and what to do. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** What a command is called with. */
export interface CommandCall extends StorageLocation {
  /** The words after the command's name. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  /** All scopes that a key may have. */
  readonly scopes: readonly string[]
  readonly clickhouseCluster: string | undefined
  /** Starts the embedded engine in a data folder. */
  readonly startEngine: (dataDir: string) => Promise<Engine>
}

/** What a command says: lines for people, and the same as data for programs. */
export interface CommandAnswer {
  readonly lines: readonly string[]
  readonly data: unknown
}

export interface Option {
  /** What stands after it; absent for a switch. */
  readonly value?: string
  readonly what: string
}

/** One row of the command line. */
export interface Command {
  /** `key create`. */
  readonly name: string
  /** Each is required. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  readonly what: string
  readonly run: (call: CommandCall) => Promise<CommandAnswer>
}

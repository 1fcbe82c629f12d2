import type { ConsoleAddress } from '../http/console.ts'
import type { RouteResponse } from '../http/route.ts'
import type { ConsoleSessions } from './sessions.ts'

export interface ConsoleFiles {
  /** Whether the console is built. */
  isBuilt(): boolean
  /** Returns the response for a path below `/console/`. Throws `ApiError` for a missing file. */
  respond(path: string): Promise<RouteResponse>
}

/** The console: where it is, its files, and the sessions of the people who use it. */
export interface Console {
  readonly address: ConsoleAddress
  readonly files: ConsoleFiles
  readonly sessions: ConsoleSessions
}

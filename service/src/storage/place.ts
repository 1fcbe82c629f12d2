import { join } from 'node:path'

export interface Place {
  /** Absolute path of the data folder. */
  readonly dataDir: string
  /** Address of a Postgres database for the definitions. Absent: a file in the data folder. */
  readonly databaseUrl: string | undefined
  /** A ClickHouse server that holds the events. Absent: the embedded engine, in the data folder. */
  readonly clickhouseUrl: string | undefined
}

/** The name of the file of definitions, in a data folder and in a backup. */
export const DEFINITIONS = 'definitions.db'

/** Where the definitions are, as `openRecords` takes it. */
export const definitionsOf = ({ dataDir, databaseUrl }: Pick<Place, 'dataDir' | 'databaseUrl'>): string =>
  databaseUrl ?? join(dataDir, DEFINITIONS)

/** Whether other processes may serve the same events and definitions: nothing that they need is in a data folder. */
export const isOneOfMany = ({ databaseUrl, clickhouseUrl }: Pick<Place, 'databaseUrl' | 'clickhouseUrl'>): boolean =>
  databaseUrl !== undefined && clickhouseUrl !== undefined

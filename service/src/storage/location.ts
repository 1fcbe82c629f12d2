import { join } from 'node:path'

/** Storage location of a service's data. */
export interface StorageLocation {
  /** Absolute path of the data folder. */
  readonly dataDir: string
  /** URL of a Postgres database for the metadata. Absent: a SQLite file in the data folder. */
  readonly databaseUrl: string | undefined
  /** URL of a ClickHouse server for the events. Absent: the embedded engine, in the data folder. */
  readonly clickhouseUrl: string | undefined
}

/** Name of the metadata file, in a data folder and in a backup. */
export const METADATA_FILE = 'definitions.db'

/** Returns the location of the metadata, which `openMetadata` takes. */
export const metadataLocation = ({ dataDir, databaseUrl }: Pick<StorageLocation, 'dataDir' | 'databaseUrl'>): string =>
  databaseUrl ?? join(dataDir, METADATA_FILE)

/** Whether other processes may serve the same events and metadata, because none of it is in a data folder. */
export const isOneOfMany = ({
  databaseUrl,
  clickhouseUrl,
}: Pick<StorageLocation, 'databaseUrl' | 'clickhouseUrl'>): boolean =>
  databaseUrl !== undefined && clickhouseUrl !== undefined

import { statfs } from 'node:fs/promises'
import { within } from '../lib/wait.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { SMALL_READ, type Storage, StorageError, storageApiError } from '../storage/storage.ts'

/** A reason why the service rejects deliveries or runs. */
export interface Unreadiness {
  readonly code: 'engine_unavailable' | 'migration_pending' | 'definitions_unavailable' | 'disk_full'
  readonly detail: string
}

export interface ReadinessOptions {
  readonly storage: Pick<Storage, 'rows'>
  readonly metadata: Pick<Metadata, 'ready'>
  /** Folder of the metadata file. Absent: the metadata is in Postgres. */
  readonly definitionsDir: string | undefined
}

/** Returns the current problems. Empty: the service is ready. */
export type Readiness = () => Promise<readonly Unreadiness[]>

// Longer than a busy engine takes for a trivial statement.
const PROBE_WAIT_MS = 2_000
// A single change of SQLite or the engine writes more than this.
const MIN_FREE_BYTES = 1_000_000

// Like a run, it needs every shard and the tables of this release. The fullest disk counts.
const PROBE = `SELECT (SELECT count() FROM db.events WHERE project_id = 0) AS events,
  toFloat64((SELECT min(unreserved_space) FROM system.disks)) AS free,
  toFloat64((SELECT any(value) FROM system.merge_tree_settings WHERE name = 'min_free_disk_bytes_to_perform_insert')) AS reserve`

const UNREADY: Readonly<Record<Unreadiness['code'], Unreadiness>> = {
  engine_unavailable: {
    code: 'engine_unavailable',
    detail: 'The event store does not respond. Deliveries and runs get a 503.',
  },
  migration_pending: {
    code: 'migration_pending',
    detail: "The event store lacks tables of this release: its migrations have not been run, or a node's are pending.",
  },
  definitions_unavailable: {
    code: 'definitions_unavailable',
    detail: 'The metadata store does not respond. Requests get a 503.',
  },
  disk_full: {
    code: 'disk_full',
    detail: 'The disk is full. Deliveries and changes get a 507 until an operator frees space.',
  },
}

const MISSING_TABLES = new Set(['UNKNOWN_TABLE', 'UNKNOWN_DATABASE', 'UNKNOWN_IDENTIFIER'])

const codeOf = (error: StorageError): Unreadiness['code'] =>
  MISSING_TABLES.has(error.engineCode ?? '')
    ? 'migration_pending'
    : storageApiError(error)?.code === 'disk_full'
      ? 'disk_full'
      : 'engine_unavailable'

const engineFault = async (storage: Pick<Storage, 'rows'>): Promise<Unreadiness['code'] | undefined> => {
  try {
    const rows = await within(
      storage.rows<{ free: number; reserve: number }>({ text: PROBE }, SMALL_READ),
      PROBE_WAIT_MS,
      undefined,
    )
    if (!rows) return 'engine_unavailable'
    const { free, reserve } = rows[0]!
    return free < Math.max(reserve, MIN_FREE_BYTES) ? 'disk_full' : undefined
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return codeOf(error)
  }
}

const definitionsFault = async (
  metadata: Pick<Metadata, 'ready'>,
  definitionsDir: string | undefined,
): Promise<Unreadiness['code'] | undefined> => {
  if (!(await metadata.ready(PROBE_WAIT_MS))) return 'definitions_unavailable'
  if (definitionsDir === undefined) return undefined
  const { bavail, bsize } = await statfs(definitionsDir)
  return bavail * bsize < MIN_FREE_BYTES ? 'disk_full' : undefined
}

// The route is public, so checks run one at a time and at most this often.
const FRESH_MS = 100

/** Creates a check that uses the engine and the metadata store as deliveries and runs do. */
export const createReadiness = ({ storage, metadata, definitionsDir }: ReadinessOptions): Readiness => {
  const check = async () => {
    // The disk of the metadata first, because a full disk also makes an engine on it fail.
    const codes = await Promise.all([definitionsFault(metadata, definitionsDir), engineFault(storage)])
    return [...new Set(codes)].flatMap((code) => (code ? [UNREADY[code]] : []))
  }

  let latest: Promise<readonly Unreadiness[]> | undefined
  const forget = () => void setTimeout(() => (latest = undefined), FRESH_MS).unref()
  return () => {
    if (!latest) {
      latest = check()
      latest.then(forget, forget)
    }
    return latest
  }
}

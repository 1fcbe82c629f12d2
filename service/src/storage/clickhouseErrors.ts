import { EngineError } from './clickhouseHttp.ts'
import { StorageError, type StorageErrorKind } from './storage.ts'
import { own } from '../lib/own.ts'

/** Kinds of the engine's errors. An error without a row is the statement's fault. */
const KINDS: Readonly<Record<string, StorageErrorKind>> = {
  TIMEOUT_EXCEEDED: 'timeout',
  TOO_SLOW: 'timeout',
  MEMORY_LIMIT_EXCEEDED: 'memory',
  TOO_MANY_ROWS: 'size',
  TOO_MANY_BYTES: 'size',
  TOO_MANY_ROWS_OR_BYTES: 'size',
  TOO_MANY_SIMULTANEOUS_QUERIES: 'capacity',
  TOO_MANY_PARTS: 'unavailable',
  NOT_ENOUGH_SPACE: 'full',
  CANNOT_ALLOCATE_MEMORY: 'unavailable',
  ALL_CONNECTION_TRIES_FAILED: 'unavailable',
  ALL_REPLICAS_ARE_STALE: 'unavailable',
  ATTEMPT_TO_READ_AFTER_EOF: 'unavailable',
  DNS_ERROR: 'unavailable',
  TABLE_IS_READ_ONLY: 'unavailable',
  TOO_FEW_LIVE_REPLICAS: 'unavailable',
  UNKNOWN_STATUS_OF_INSERT: 'unavailable',
  UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: 'unavailable',
  REPLICA_STATUS_CHANGED: 'unavailable',
  NO_ZOOKEEPER: 'unavailable',
  KEEPER_EXCEPTION: 'unavailable',
  SOCKET_TIMEOUT: 'unavailable',
  NETWORK_ERROR: 'unavailable',
  ABORTED: 'unavailable',
  QUERY_WAS_CANCELLED: 'unavailable',
  AUTHENTICATION_FAILED: 'unavailable',
}

/** Errors of an insert whose rows can never be stored. After any other error, a retry may succeed. */
const DATA_ERRORS = new Set([
  'INCORRECT_DATA',
  'CANNOT_PARSE_TEXT',
  'CANNOT_PARSE_ESCAPE_SEQUENCE',
  'CANNOT_PARSE_QUOTED_STRING',
  'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  'CANNOT_PARSE_DATE',
  'CANNOT_PARSE_DATETIME',
  'CANNOT_PARSE_NUMBER',
  'CANNOT_PARSE_UUID',
  'CANNOT_READ_ALL_DATA',
  'TYPE_MISMATCH',
  'TOO_LARGE_STRING_SIZE',
  'ARGUMENT_OUT_OF_BOUND',
  'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
  'DECIMAL_OVERFLOW',
  'TOO_DEEP_RECURSION',
])

// Connection errors of Node have a code. The client's own timeout does not.
const isConnectionError = (error: Error) =>
  typeof (error as NodeJS.ErrnoException).code === 'string' || /timeout|socket|aborted/i.test(error.message)

/** Whether the server has closed the connection, as it may at the moment an idle connection is used again. */
export const isClosedConnection = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

// The engine uses one error name for the memory limit of a query and that of all queries together.
const isShared = (name: string, message: string) =>
  name === 'MEMORY_LIMIT_EXCEEDED' && /\(total\)|memory limit for user|User memory/i.test(message)

// Errors of the operating system have various names, such as CANNOT_WRITE_TO_FILE_DESCRIPTOR.
const isFull = (name: string, message: string) =>
  own(KINDS, name) === 'full' || /No space left on device|errno: (?:28|122)\b/.test(message)

// The engine uses one error name for too many rows and for too much on its disk, which is part of a query's memory limit.
const isSpillTooLarge = (name: string, message: string) =>
  name === 'TOO_MANY_ROWS_OR_BYTES' && /temporary files/i.test(message)

// The engine uses one error name for too many rows and too many bytes of a result.
const isTooManyBytes = (name: string, message: string) =>
  name === 'TOO_MANY_BYTES' || (name === 'TOO_MANY_ROWS_OR_BYTES' && /max bytes/i.test(message))

/**
 * Returns the `StorageError` for an error of the engine or the connection, and any other error as it is. `inserting`:
 * rows may be the cause.
 */
export const toStorageError = (error: unknown, inserting = false): unknown => {
  if (error instanceof EngineError) {
    const name = error.code
    if (isFull(name, error.message)) return new StorageError('full', error.message, name)
    // An unknown error may be caused by the rows, which the writer finds out. An error without a name comes from a
    // proxy.
    if (inserting) {
      const kind = DATA_ERRORS.has(name) ? 'data' : !name || own(KINDS, name) ? 'unavailable' : 'query'
      return new StorageError(kind, error.message, name)
    }
    if (isSpillTooLarge(name, error.message)) return new StorageError('memory', error.message, name)
    if (isTooManyBytes(name, error.message)) return new StorageError('bytes', error.message, name)
    return new StorageError(
      isShared(name, error.message) ? 'capacity' : (own(KINDS, name) ?? 'query'),
      error.message,
      name,
    )
  }
  if (error instanceof StorageError || !(error instanceof Error) || !isConnectionError(error)) return error
  return new StorageError('unavailable', error.message)
}

import { isDeepStrictEqual } from 'node:util'
import { pause } from '../lib/wait.ts'
import { type ClickhouseHttp, createClickhouseHttp } from './clickhouseHttp.ts'
import { StorageError } from './storage.ts'

export interface Account {
  readonly username: string
  readonly password: string
}

/** URL and credentials of the engine. When they change, requests to the previous engine are aborted. */
export interface Connection {
  readonly url: string
  /** Account that may create tables and insert. Defaults to the user of the URL. */
  readonly writer?: Account
  /** May read events and nothing else. */
  readonly reader?: Account
  readonly headers?: Readonly<Record<string, string>>
}

// Less than the 60 s after which SDKs give up on a request.
const WRITES = { timeoutMs: 30_000, connections: 32 }
// Longer than the longest query, and more connections than the gate allows (storage/gate.ts), so that no request waits here.
const READS = { timeoutMs: 70_000, connections: 80 }
// Tables are built in the background, two at a time (storage/gate.ts). The other connections are for the writer's
// deletions.
const WORK = { timeoutMs: 3_600_000, connections: 4 }

/** Clients of one engine, each with its own connection pool. */
interface Clients {
  readonly writer: ClickhouseHttp
  readonly reader: ClickhouseHttp
  readonly worker: ClickhouseHttp
}

export interface ClickhouseClients {
  /** Returns the clients of the current engine. Throws `StorageError` if it is not running. */
  current(): Clients
  readonly isClosed: boolean
  /** Aborts running requests. `current` throws from now on. */
  close(): Promise<void>
}

const clientFor = (
  { url, headers }: Connection,
  account: Account | undefined,
  bounds: { timeoutMs: number; connections: number },
) => createClickhouseHttp({ url, headers, account, ...bounds })

/** Creates clients that follow the engine: when `connection` returns another one, requests to the previous one are aborted. */
export const createClickhouseClients = (connection: () => Connection | undefined): ClickhouseClients => {
  let connected: Connection | undefined
  let clients: Clients | undefined
  let closed = false

  const closeClients = async () => {
    const old = clients
    clients = undefined
    await Promise.all([old?.writer.close(), old?.reader.close(), old?.worker.close()])
  }

  return {
    get isClosed() {
      return closed
    },
    current() {
      const place = closed ? undefined : connection()
      if (!place) throw new StorageError('unavailable', 'The engine is not running')
      if (!clients || !isDeepStrictEqual(place, connected)) {
        void closeClients()
        connected = place
        clients = {
          writer: clientFor(place, place.writer, WRITES),
          reader: clientFor(place, place.reader ?? place.writer, READS),
          worker: clientFor(place, place.writer, WORK),
        }
      }
      return clients
    },
    close() {
      closed = true
      return closeClients()
    },
  }
}

const READY_POLL_MS = 50
const PING_TIMEOUT_MS = 2_000

/** Returns why the engine does not respond, or `undefined` if it does. */
const ping = async (clients: ClickhouseClients, withinMs: number): Promise<Error | undefined> => {
  try {
    return (await clients.current().writer.ping(withinMs))
      ? undefined
      : new Error('/ping does not respond with status 200')
  } catch (error) {
    return error as Error
  }
}

/** Returns whether the engine responds within `withinMs`. Calls `onFailure` with the reason after each failed attempt. */
export const waitUntilReady = async (
  clients: ClickhouseClients,
  withinMs: number,
  onFailure: (reason: Error) => void = () => {},
): Promise<boolean> => {
  const deadline = Date.now() + withinMs
  for (;;) {
    // An engine that hangs accepts a connection and never responds.
    const failure = await ping(clients, Math.min(PING_TIMEOUT_MS, Math.max(READY_POLL_MS, deadline - Date.now())))
    if (!failure) return true
    onFailure(failure)
    if (clients.isClosed || Date.now() >= deadline) return false
    await pause(Math.min(READY_POLL_MS, Math.max(1, deadline - Date.now())))
  }
}

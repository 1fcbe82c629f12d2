import { randomUUID } from 'node:crypto'
import type { ClickhouseClients } from './clickhouseClients.ts'
import { isClosedConnection, toStorageError } from './clickhouseErrors.ts'
import type { ClickhouseHttp, EngineRequest, Settings } from './clickhouseHttp.ts'
import { type RunLimits, StorageError } from './storage.ts'

/** Runs and ends statements. `settings`: settings of every statement without a result. */
export const createStatements = (clients: ClickhouseClients, settings: Settings) => {
  /** Runs a statement without a result. Resolves at the end of the response. */
  const execute = async (client: ClickhouseHttp, request: EngineRequest) => {
    const { body } = await client.send({ ...request, settings: { ...settings, ...request.settings } })
    await body.dump()
  }

  /**
   * Ends a statement that may still be running because it got no response. Otherwise an insert could finish after a
   * retry has looked up its rows.
   */
  const settle = async (queryId: string) => {
    try {
      await execute(clients.current().writer, {
        text: 'KILL QUERY WHERE query_id = {id:String} SYNC',
        params: { id: queryId },
        settings: {},
      })
    } catch {
      // The engine is down, and the insert with it.
    }
  }

  /**
   * Sends a statement and ends it in the engine when `signal` is aborted, because the engine does not end a query when
   * its client disconnects. Rejects with `StorageError`.
   */
  const endingWith = async <Value>(
    signal: AbortSignal | undefined,
    send: (queryId: string) => Promise<Value>,
    { end = settle, isRepeatable = false, idPrefix = '' } = {},
  ): Promise<Value> => {
    const queryId = `${idPrefix}${randomUUID()}`
    try {
      return await send(queryId)
    } catch (error) {
      if (!signal?.aborted) {
        if (isRepeatable && isClosedConnection(error)) return endingWith(signal, send, { end, idPrefix })
        throw toStorageError(error)
      }
      await end(queryId)
      throw new StorageError('unavailable', 'The query was aborted')
    }
  }

  /** Sends a query, and sends it again if the connection was closed. */
  const reading = <Value>(
    signal: AbortSignal | undefined,
    send: (queryId: string) => Promise<Value>,
    { idPrefix = '' }: Pick<RunLimits, 'idPrefix'> = {},
  ) => endingWith(signal, send, { isRepeatable: true, idPrefix })

  return { execute, settle, endingWith, reading }
}

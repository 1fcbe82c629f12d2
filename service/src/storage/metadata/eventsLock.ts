import { EventsElsewhere } from './errors.ts'
import { LOCK_NAMESPACE, SESSION_LOCKS } from './store.ts'

/**
 * Locks the Postgres database at `url` for a process whose events are in an engine of its own or, if `isShared`, on a server that
 * others may use as well. Returns a function that releases the lock, which also ends with the process. Throws
 * `EventsElsewhere` if another process stores its events elsewhere: both would share the projects, but not the events.
 */
export const lockEvents = async (url: string, isShared: boolean): Promise<() => Promise<void>> => {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: url })
  // Without a listener, a lost connection would end the process.
  client.on('error', () => {})
  const release = () => client.end().catch(() => {})
  try {
    await client.connect()
    // Held by a transaction that stays open, because proxies of connections keep locks of a session.
    await client.query('BEGIN')
    const lock = `pg_try_advisory_xact_lock${isShared ? '_shared' : ''}(${LOCK_NAMESPACE}, ${SESSION_LOCKS.eventStore})`
    const { rows } = await client.query<{ held: boolean }>(`SELECT held FROM ${lock} AS held`)
    if (!rows[0]?.held) throw new EventsElsewhere()
    return release
  } catch (error) {
    await release()
    throw error
  }
}

import { queryInParts } from '../lib/parts.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import type { StoredEvent } from './rows.ts'

// The SDK ends a session after 24 hours.
const MAX_SESSION_MS = 24 * 3_600_000

const FIRST_EVENTS = `
  SELECT toString(argMin(uuid, (timestamp, uuid))) FROM db.events
  WHERE project_id = {projectId:UInt32} AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND timestamp <= fromUnixTimestamp64Milli({until:Int64}, 'UTC')
    AND \`$session_id\` IN {sessions:Array(String)}
  GROUP BY \`$session_id\``

/** Returns the uuids of the first events of those sessions that a person's events belong to. */
export const sessionStarts = async (
  queryRows: QueryRows,
  projectId: number,
  events: readonly StoredEvent[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(events.flatMap(({ $session_id: session }) => session ?? []))]
  const times = events.map(({ timestamp }) => Date.parse(timestamp))
  const firsts = await queryInParts(ids, (sessions) =>
    queryRows(
      projectId,
      {
        text: FIRST_EVENTS,
        params: { projectId, sessions, from: Math.min(...times) - MAX_SESSION_MS, until: Math.max(...times) },
      },
      signal,
    ),
  )
  return new Set(firsts.map(([uuid]) => String(uuid)))
}

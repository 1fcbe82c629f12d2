import { inParts } from '../../../lib/parts.ts'
import { SMALL_READ, type Storage } from '../../../storage/storage.ts'

/** Maximum days to store again. For more days, storing the whole table is not more expensive. */
export const MAX_DAYS = 366

/** Returns the UTC days of the events of these ids. `undefined`: they are too many. */
export const daysOfEvents = async (
  storage: Pick<Storage, 'rows'>,
  projectId: number,
  ids: readonly string[],
): Promise<readonly string[] | undefined> => {
  const found = new Set<string>()
  for (const some of inParts(ids)) {
    const days = await storage.rows<{ day: string }>(
      {
        text: `SELECT DISTINCT toString(toDate32(timestamp)) AS day FROM db.events WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} LIMIT ${MAX_DAYS + 1}`,
        params: { projectId, ids: some },
      },
      SMALL_READ,
    )
    for (const { day } of days) found.add(day)
    if (found.size > MAX_DAYS) return undefined
  }
  return [...found]
}

// The service notes the days of what it erases itself.
const OWN_ERASURE = 'DELETE WHERE \\\\(?project_id = .*distinct_id IN'

/** Identifies the last change of stored events that was not an erasure by the service. Later changes are greater. */
export const lastChange = async (storage: Pick<Storage, 'rows' | 'rowsDatabase'>): Promise<string> => {
  const [row] = await storage.rows<{ change: string }>(
    {
      text: `SELECT max(concat(toString(create_time), ' ', mutation_id)) AS change FROM system.mutations WHERE database = {database:String} AND table = 'events' AND NOT match(command, '${OWN_ERASURE}')`,
      params: { database: storage.rowsDatabase },
    },
    SMALL_READ,
  )
  return row!.change
}

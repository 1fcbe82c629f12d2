import type { JsonLine } from '../storage/storage.ts'
import type { ReadEvent } from './read.ts'

/** An event with the values of all its columns. */
export interface Located {
  readonly projectId: number
  readonly event: ReadEvent
  /** Column indexes of its groups, by group type. */
  readonly groupIndexes: ReadonlyMap<string, number>
}

const groupColumns = ({ event, groupIndexes }: Located): string => {
  let columns = ''
  for (const { type, key } of event.identity.groups)
    if (groupIndexes.has(type)) columns += `,"$group_${groupIndexes.get(type)}":${JSON.stringify(key)}`
  return columns
}

/** Returns an event as a line of JSON with the columns of `db.events`. */
export const toLine = (located: Located): JsonLine => {
  const { uuid, event, distinctId, timestamp, elementsChain, sessionId, windowId, properties, visit } = located.event
  // The engine reads a number as ticks of the column, which are ms here. String concatenation, because the properties
  // are JSON already.
  return `{"project_id":${located.projectId},"uuid":"${uuid}","event":${JSON.stringify(event)},"distinct_id":${JSON.stringify(distinctId)},"timestamp":${timestamp},"elements_chain":${JSON.stringify(elementsChain)},"$session_id":${JSON.stringify(sessionId)},"$window_id":${JSON.stringify(windowId)}${groupColumns(located)},"properties":${properties}${visit}}`
}

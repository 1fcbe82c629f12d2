import type { JsonLine } from '../storage/storage.ts'
import type { ReadEvent } from './read.ts'

/** An event with all that its columns take. */
export interface Located {
  readonly projectId: number
  readonly event: ReadEvent
  /** The columns of its groups, by their types. */
  readonly groupIndexes: ReadonlyMap<string, number>
}

const groupColumns = ({ event, groupIndexes }: Located): string => {
  let columns = ''
  for (const { type, key } of event.identity.groups)
    if (groupIndexes.has(type)) columns += `,"$group_${groupIndexes.get(type)}":${JSON.stringify(key)}`
  return columns
}

/** An event as a line of JSON with the columns of `db.events`. */
export const toLine = (located: Located): JsonLine => {
  const { uuid, event, distinctId, timestamp, elementsChain, sessionId, windowId, properties } = located.event
  // Of a number the engine takes a time's ticks, which are ms here. Written out: its properties are JSON already, and an object made only to be written costs more than its text.
  return `{"project_id":${located.projectId},"uuid":"${uuid}","event":${JSON.stringify(event)},"distinct_id":${JSON.stringify(distinctId)},"timestamp":${timestamp},"elements_chain":${JSON.stringify(elementsChain)},"$session_id":${JSON.stringify(sessionId)},"$window_id":${JSON.stringify(windowId)}${groupColumns(located)},"properties":${properties}}`
}

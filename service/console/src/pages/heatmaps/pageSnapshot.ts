import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { loadSnapshots } from '../../api/recordings.ts'
import type { RecordedEvent } from '../../player/messages.ts'
import { drawingEvents, type PageWanted } from './drawingEvents.ts'

/** Maximum recordings and snapshots to check. Each takes a request. */
const MAX_RECORDINGS = 5
const MAX_CHUNKS = 8

/** Returns the longest part of a URL without stars, which recordings can be searched for. */
const literalOf = (url: string): string =>
  url.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest))

/** Returns the chunks of a recording with full snapshots, latest first. */
const anchorsOf = async (projectId: number, sessionId: string, signal: AbortSignal) => {
  const params = { path: { ...inProject(projectId).path, session_id: sessionId } }
  const recording = await dataOf(
    api.GET('/api/projects/{projectId}/session_recordings/{session_id}', { params, signal }),
  )
  return recording.windows_list
    .flatMap(({ id, chunks }) => chunks.filter((chunk) => chunk.is_anchor).map((chunk) => ({ ...chunk, windowId: id })))
    .sort((a, b) => b.started_at.localeCompare(a.started_at))
}

/**
 * Finds the latest snapshot of a page in recordings. Resolves with the events that draw it, or with `null` if none of the
 * latest recordings has it. Rejects with `Failure`.
 */
export const findPageSnapshot = async (
  projectId: number,
  wanted: PageWanted,
  signal: AbortSignal,
): Promise<readonly RecordedEvent[] | null> => {
  const query = { limit: MAX_RECORDINGS, page: literalOf(wanted.url) }
  const { results } = await dataOf(
    api.GET('/api/projects/{projectId}/session_recordings', { params: { ...inProject(projectId), query }, signal }),
  )
  let chunks = 0
  for (const { id, is_playable } of results) {
    if (!is_playable) continue
    for (const { windowId, seq } of await anchorsOf(projectId, id, signal)) {
      if (chunks === MAX_CHUNKS) return null
      chunks += 1
      const range = { sessionId: id, windowId, from: seq, to: seq }
      const events = (await loadSnapshots(projectId, range, signal)).map(({ event }) => event)
      const found = drawingEvents(events, wanted)
      if (found) return found
    }
  }
  return null
}

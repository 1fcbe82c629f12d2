import type { RecordedEvent } from '../player/messages.ts'
import { SERVICE_URL } from './client.ts'
import { toFailure } from './failure.ts'
import type { ResponseOf } from './inProject.ts'
import { expire, renewals } from './session.ts'
import { pathPart } from '../lib/pathPart.ts'

/** The document that draws recorded pages. Its content security policy allows no requests. */
export const PLAYER_URL = `${SERVICE_URL}/console/player.html`

/** A recording in a list. */
export type Recording = ResponseOf<'/api/projects/{projectId}/session_recordings', 'get'>['results'][number]

/** A recording with its windows, chunks and gaps. */
export type RecordingDetails = ResponseOf<'/api/projects/{projectId}/session_recordings/{session_id}', 'get'>
export type RecordingWindow = RecordingDetails['windows_list'][number]

/** An event of a recording, and the chunk that has it. */
export interface Snapshot {
  readonly seq: number
  readonly event: RecordedEvent
}

const toSnapshots = (lines: string): Snapshot[] =>
  lines.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Snapshot] : []))

/** Loads the events of chunks of a window. Rejects with `Failure`. */
export const loadSnapshots = async (
  projectId: number,
  { sessionId, windowId, from, to }: Readonly<Record<'sessionId' | 'windowId', string> & Record<'from' | 'to', number>>,
  signal: AbortSignal,
): Promise<Snapshot[]> => {
  const renewal = renewals.peek()
  const query = new URLSearchParams({ window_id: windowId, from: String(from), to: String(to) })
  const response = await fetch(
    `${SERVICE_URL}/api/projects/${projectId}/session_recordings/${pathPart(sessionId)}/snapshots?${query}`,
    { signal, headers: { 'x-trailmark-console': '1' } },
  )
  if (response.status === 401) expire(renewal)
  if (!response.ok) throw toFailure(response.status, await response.json().catch(() => undefined))
  return toSnapshots(await response.text())
}

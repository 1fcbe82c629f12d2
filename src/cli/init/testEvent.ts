import { randomUUID } from 'node:crypto'
import type { Settings } from './frameworks'

const TIMEOUT_MS = 20_000

/** Sends an event and waits until the service has stored it. If it has not, throws an error with advice. */
export const sendTestEvent = async ({ host, token }: Settings): Promise<void> => {
  const event = {
    uuid: randomUUID(),
    event: 'trailmark init',
    properties: { token, distinct_id: 'trailmark-init', $process_person_profile: false },
    timestamp: new Date().toISOString(),
  }
  const body = JSON.stringify({ api_key: token, batch: [event], sent_at: event.timestamp })
  const response = await fetch(`${host}/e/`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Error(
      `${host} does not respond (${String((error as Error).cause ?? error)}). Check --host, or pass --no-test.`,
    )
  })
  const text = await response.text()
  let answer: { status?: unknown; detail?: string; refused?: { detail: string }[] } = {}
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    // Reported below.
  }
  const problem = answer.refused?.[0]?.detail ?? answer.detail
  if (!response.ok || answer.status !== 1 || problem)
    throw new Error(
      `${host} did not store the test event: ${problem ?? `it responded with status ${response.status}, and not as a Trailmark service`}. Check --host and --token.`,
    )
}

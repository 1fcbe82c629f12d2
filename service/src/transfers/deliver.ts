import { pause } from '../lib/wait.ts'
import { ImportError } from './importError.ts'
import type { Deliver } from './importRun.ts'

const TRIES = 30
const MAX_WAIT_MS = 30_000
const TIMEOUT_MS = 90_000
const FIRST_WAIT_MS = 500
const MAX_WHY_CHARS = 300

const isTemporary = (status: number) => status >= 500 || status === 429 || status === 408

type Refused = Awaited<ReturnType<Deliver>>

/** Outcome of a try: the refused events, or the reason why it failed. */
type Outcome =
  | { readonly refused: Refused }
  | { readonly why: string; readonly isTemporary: boolean; readonly waitMs: number }

const send = async (url: string, body: string): Promise<Outcome> => {
  try {
    const response = await fetch(`${url}/batch/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (response.ok) return { refused: (JSON.parse(text) as { refused?: Refused }).refused ?? [] }
    return {
      why: `the service answered ${response.status}: ${text.slice(0, MAX_WHY_CHARS)}`,
      isTemporary: isTemporary(response.status),
      waitMs: Number(response.headers.get('retry-after')) * 1_000,
    }
  } catch (error) {
    return { why: `the service at ${url} does not respond (${(error as Error).message})`, isTemporary: true, waitMs: 0 }
  }
}

/**
 * Creates the function that delivers to a running service, like an SDK. What the service cannot store now is sent again: it stores
 * each id once.
 */
export const createDeliver =
  (url: string, token: string): Deliver =>
  async (batch) => {
    const body = JSON.stringify({ api_key: token, historical_migration: true, batch })
    for (let tries = 1; ; tries += 1) {
      const outcome = await send(url, body)
      if ('refused' in outcome) return outcome.refused
      if (!outcome.isTemporary || tries === TRIES) throw new ImportError(outcome.why)
      await pause(Math.min(MAX_WAIT_MS, outcome.waitMs || FIRST_WAIT_MS * 2 ** Math.min(tries, 6)))
    }
  }

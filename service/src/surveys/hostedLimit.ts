import { createHash } from 'node:crypto'

const WINDOW_MS = 60_000
const MAX_PER_WINDOW = 30
const MAX_CLIENTS = 100_000

const hashOf = (id: string) => createHash('sha256').update(id).digest('base64url')

/**
 * Creates the limit of page loads, or of submissions, per client and hosted survey in a minute. Returns whether another one is
 * within it. `submissionId`: events of one submission count once.
 */
export const createHostedLimit = (
  now: () => number = Date.now,
): ((client: string, surveyId: string, submissionId?: string) => boolean) => {
  let startedAt = now()
  let seen = new Map<string, Set<string>>()
  return (client, surveyId, submissionId) => {
    if (now() - startedAt >= WINDOW_MS || seen.size >= MAX_CLIENTS) {
      startedAt = now()
      seen = new Map()
    }
    const key = `${client} ${surveyId}`
    const submissions = seen.get(key) ?? new Set()
    seen.set(key, submissions)
    // A hash, because part of a long string keeps all of it in memory.
    const id = hashOf(submissionId ?? String(submissions.size))
    if (submissions.has(id)) return true
    if (submissions.size >= MAX_PER_WINDOW) return false
    submissions.add(id)
    return true
  }
}

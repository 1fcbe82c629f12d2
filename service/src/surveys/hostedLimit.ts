const WINDOW_MS = 60_000
const MAX_PER_WINDOW = 30
const MAX_CLIENTS = 100_000

/**
 * Creates the limit of page loads, or of submissions, per IP and hosted survey in a minute. Returns whether another one is
 * within it. `submissionId`: events of one submission count once.
 */
export const createHostedLimit = (
  now: () => number = Date.now,
): ((ip: string, surveyId: string, submissionId?: string) => boolean) => {
  let startedAt = now()
  let seen = new Map<string, Set<string>>()
  return (ip, surveyId, submissionId) => {
    if (now() - startedAt >= WINDOW_MS || seen.size >= MAX_CLIENTS) {
      startedAt = now()
      seen = new Map()
    }
    const key = `${ip} ${surveyId}`
    const submissions = seen.get(key) ?? new Set()
    seen.set(key, submissions)
    const id = submissionId ?? String(submissions.size)
    if (submissions.has(id)) return true
    if (submissions.size >= MAX_PER_WINDOW) return false
    submissions.add(id)
    return true
  }
}

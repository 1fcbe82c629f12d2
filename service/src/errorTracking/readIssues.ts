import { setImmediate } from 'node:timers/promises'
import type { QueryRows } from '../persons/queryRows.ts'
import type { AssignStacks, IssueLimits } from './assignStacks.ts'
import type { Known } from './issueViews.ts'
import { readOccurrences } from './occurrences.ts'
import { isAgain, isEnough, releaseOrder } from './releases.ts'
import type { ErrorTrackingStore } from './store.ts'

interface Dependencies {
  readonly queryRows: QueryRows
  readonly store: ErrorTrackingStore
  readonly assignStacks: AssignStacks
  readonly limits: IssueLimits
}

/** Creates the function that reads all issues of a project with their events since `from`. It reopens those that came back. */
export const createReadIssues =
  ({ queryRows, store, assignStacks, limits }: Dependencies) =>
  async (projectId: number, from: number, signal: AbortSignal) => {
    const occurrences = await readOccurrences(queryRows, projectId, { from, limit: limits.stacks, signal })
    await setImmediate()
    const { fingerprintOfStack, pending } = await assignStacks(projectId, occurrences, signal)
    const issueOf = await store.fingerprints(projectId)
    const order = releaseOrder(occurrences)
    const known = new Map<string, Known>(
      (await store.issues(projectId)).map((issue) => [issue.id, { issue, stacks: new Map(), occurrences: [] }]),
    )
    for (const each of occurrences) {
      const fingerprint = fingerprintOfStack.get(each.stack)?.fingerprint
      const of = fingerprint === undefined ? undefined : known.get(issueOf.get(fingerprint) ?? '')
      if (!of || fingerprint === undefined) continue
      of.stacks.set(each.stack, fingerprint)
      of.occurrences.push(each)
    }
    await setImmediate()
    for (const [id, each] of known) {
      if (!isAgain(each.issue, each.occurrences, order) && !isEnough(each.issue, each.occurrences)) continue
      await store.reopen(projectId, id)
      known.set(id, {
        ...each,
        issue: { ...each.issue, state: 'active', ignoredUntil: null, reopenedAt: new Date().toISOString() },
      })
    }
    return { known, order, pending }
  }

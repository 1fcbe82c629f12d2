import { type Issue, STATES } from './issueApi.ts'

/** The state of an issue, and whether it came back after it was resolved. */
export const StateBadge = ({
  issue: { state, reopened_at: reopenedAt },
}: {
  readonly issue: Pick<Issue, 'state' | 'reopened_at'>
}) => {
  if (state === 'active' && reopenedAt) return <span class="badge warning">Came back</span>
  return <span class={`badge ${state === 'active' ? 'bad' : state === 'resolved' ? 'good' : ''}`}>{STATES[state]}</span>
}

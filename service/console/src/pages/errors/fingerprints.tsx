import { formatWhole } from '../../lib/format.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Failed } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { type IssueDetails, splitIssue } from './issueApi.ts'

/** The fingerprints of an issue. Each can be split off as a new issue, whose id `onSplit` receives. */
export const Fingerprints = ({
  issue,
  onSplit,
}: {
  readonly issue: IssueDetails
  readonly onSplit: (id: string) => void
}) => {
  const { id: projectId } = useProject()
  const split = useMutation(async (fingerprint: string) => {
    const created = await splitIssue(projectId, issue.id, fingerprint)
    onSplit(created.id)
  })
  return (
    <div class="stack">
      <p class="muted">
        Errors with one fingerprint have the same types and the same frames of your code. Merging issues joins their
        fingerprints.
      </p>
      {split.error && <Failed error={split.error} />}
      <Table
        caption="Fingerprints"
        rows={issue.fingerprints}
        rowKey={({ fingerprint }) => fingerprint}
        columns={[
          { key: 'fingerprint', title: 'Fingerprint', cell: ({ fingerprint }) => <code>{fingerprint}</code> },
          { key: 'count', title: 'Events', isNumber: true, cell: ({ count }) => formatWhole(count) },
          {
            key: 'split',
            title: <span class="visually-hidden">Actions</span>,
            cell: ({ fingerprint }) =>
              issue.fingerprints.length > 1 && (
                <button
                  type="button"
                  class="button"
                  disabled={split.isRunning}
                  onClick={() => void split.run(fingerprint)}
                >
                  Split off
                </button>
              ),
          },
        ]}
      />
    </div>
  )
}

import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './people.module.css'

interface Flag {
  readonly key: string
  readonly enabled: boolean
  readonly variant: string | null
  readonly reason: { readonly description: string }
  readonly metadata: { readonly id: number; readonly payload: string | null }
}

/** The flags that a person gets, and why. */
export const PersonFlags = ({ personId }: { readonly personId: string }) => {
  const { id } = useProject()
  const flags = useLoad(`flags of ${id} ${personId}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/persons/{id}/flags', {
        params: { path: { projectId: String(id), id: personId } },
        signal,
      }),
    ),
  )
  return (
    <Load of={flags}>
      {({ results, distinct_id: distinctId }) =>
        results.length ? <Flags flags={results} distinctId={distinctId} /> : <NoFlags />
      }
    </Load>
  )
}

const NoFlags = () => {
  const link = useLink()
  return (
    <Empty title="No active flags">
      <p>Flags turn features on for some people. Active ones are listed here with their value for this person.</p>
      <a class="button" href={link('flags')}>
        Flags
      </a>
    </Empty>
  )
}

const Flags = ({ flags, distinctId }: { readonly flags: readonly Flag[]; readonly distinctId: string }) => {
  const link = useLink()
  const [shown, setShown] = useState<Flag>()
  const columns: readonly Column<Flag>[] = [
    {
      key: 'key',
      title: 'Flag',
      cell: ({ key, metadata }) => (
        <a href={link(`flags/${metadata.id}`)} class="mono">
          {key}
        </a>
      ),
    },
    {
      key: 'value',
      title: 'Value',
      cell: ({ enabled, variant }) => (
        <span class={enabled ? 'badge good' : 'badge'}>{variant ?? (enabled ? 'On' : 'Off')}</span>
      ),
    },
    {
      key: 'why',
      title: 'Why',
      cell: (flag) => (
        <>
          {flag.reason.description}
          <button type="button" class="text-button" onClick={() => setShown(flag)}>
            Each condition<span class="visually-hidden"> of {flag.key}</span>
          </button>
        </>
      ),
    },
    {
      key: 'payload',
      title: 'Payload',
      cell: ({ metadata }) => <span class={`mono ${styles.break}`}>{metadata.payload ?? '–'}</span>,
    },
  ]
  return (
    <>
      <Table caption="Flags of this person" columns={columns} rows={flags} rowKey={({ key }) => key} />
      {shown && <WhyDialog flag={shown} distinctId={distinctId} onClose={() => setShown(undefined)} />}
    </>
  )
}

const WhyDialog = ({
  flag,
  distinctId,
  onClose,
}: {
  readonly flag: Flag
  readonly distinctId: string
  readonly onClose: () => void
}) => {
  const { id } = useProject()
  const test = useLoad(`flag test ${id} ${flag.metadata.id} ${distinctId}`, ({ signal }) =>
    dataOf(
      api.POST('/api/projects/{projectId}/feature_flags/test', {
        params: { path: { projectId: String(id) } },
        body: { flag: flag.metadata.id, distinct_id: distinctId },
        signal,
      }),
    ),
  )
  return (
    <Dialog title={`Why ${flag.key} is ${flag.variant ?? (flag.enabled ? 'on' : 'off')}`} onClose={onClose}>
      <Load of={test}>
        {({ reason, conditions }) => (
          <div class="stack">
            <p>{reason.description}</p>
            <ol class="stack">
              {conditions.map((condition) => (
                <li key={condition.index} class={condition.decides ? 'notice good' : 'notice'}>
                  <strong>
                    {condition.is_enrollment ? 'Early access' : `Condition ${condition.index + 1}`}
                    {condition.decides && ', which decides'}
                  </strong>
                  <p>{condition.why}</p>
                  {condition.properties.length > 1 &&
                    condition.properties.map((each) => (
                      <p key={each.key} class={`small ${styles.break}`}>
                        {each.matched ? 'Matches: ' : 'Does not match: '}
                        {each.why}
                      </p>
                    ))}
                </li>
              ))}
            </ol>
          </div>
        )}
      </Load>
    </Dialog>
  )
}

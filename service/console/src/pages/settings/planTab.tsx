import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { formatAgo, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { SelectInput, TextArea } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { SettingsForm } from './settingsForm.tsx'

const PATH = '/api/projects/{projectId}/plan'
type Plan = ResponseOf<typeof PATH, 'get'>

interface Draft {
  readonly mode: Plan['mode']
  /** JSON text as entered. */
  readonly text: string
}

const MODES = [
  ['off', 'Stored as they are'],
  ['mark', 'Stored with $plan_violations'],
  ['refuse', 'Refused'],
] as const

const planIn = (text: string): Plan['plan'] => {
  if (!text.trim()) return null
  try {
    return JSON.parse(text) as Plan['plan']
  } catch (error) {
    throw new Error(`The plan is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** The plan of events, and which events are not in it. */
export const PlanTab = () => {
  const { id } = useProject()
  const plan = useLoad(`plan ${id}`, ({ signal }) => dataOf(api.GET(PATH, { params: inProject(id), signal })))
  return (
    <div class="stack">
      <Card title="Plan of events">
        <Load of={plan}>
          {(data) => (
            <SettingsForm<Draft>
              name={`plan ${id}`}
              saved={{ mode: data.mode, text: data.plan ? JSON.stringify(data.plan, null, 2) : '' }}
              save={async ({ mode, text }) =>
                dataOf(api.PUT(PATH, { params: inProject(id), body: { mode, plan: planIn(text) } }))
              }
              done="The plan is saved."
              onSaved={() => plan.reload()}
            >
              {(draft, change) => (
                <>
                  <SelectInput
                    label="Events outside the plan are"
                    value={draft.mode}
                    options={MODES}
                    onChange={(mode) => change({ mode })}
                  />
                  <TextArea
                    label="Plan"
                    hint="The contents of trailmark.plan.json. Empty: no plan."
                    isCode
                    rows={12}
                    value={draft.text}
                    onChange={(text) => change({ text })}
                  />
                </>
              )}
            </SettingsForm>
          )}
        </Load>
      </Card>
      <Card title="Events that are not in the plan">
        <Load of={plan}>{(data) => <Findings plan={data} />}</Load>
      </Card>
    </div>
  )
}

type Undeclared = Plan['undeclared'][number]

const COLUMNS: readonly Column<Undeclared>[] = [
  { key: 'name', title: 'Event', cell: ({ name }) => <code>{name}</code> },
  { key: 'count', title: 'Events', isNumber: true, cell: ({ count }) => formatWhole(count) },
  { key: 'last', title: 'Latest', cell: ({ last_seen_at: at }) => formatAgo(at) },
]

const Findings = ({ plan: { plan, undeclared, unseen } }: { readonly plan: Plan }) => {
  if (!plan) return <Empty title="The project has no plan" />
  return (
    <div class="stack">
      {undeclared.length ? (
        <Table
          caption="Stored events of the last 30 days that are not in the plan"
          columns={COLUMNS}
          rows={undeclared}
          rowKey={({ name }) => name}
        />
      ) : (
        <p class="muted">All events of the last 30 days are in the plan.</p>
      )}
      {unseen.length > 0 && <p class="muted">In the plan, but not seen in the last 30 days: {unseen.join(', ')}.</p>}
    </div>
  )
}

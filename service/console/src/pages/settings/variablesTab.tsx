import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'
import { VariableDialog } from './variableDialog.tsx'
import type { Variable } from './variable.ts'

/** Variables that the SQL of endpoints can take. */
export const VariablesTab = () => {
  const { id } = useProject()
  const [dialog, setDialog] = useState<{ readonly edited?: Variable; readonly removed?: Variable }>()
  const variables = useLoad(`variables ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/insight_variables', { params: inProject(id), signal })),
  )
  const close = () => setDialog(undefined)
  const done = (text: string) => {
    close()
    toast(text)
    variables.reload()
  }
  return (
    <Card
      title="Variables"
      actions={
        <button type="button" class="button primary" onClick={() => setDialog({})}>
          <Icon name="plus" size={16} /> New variable
        </button>
      }
    >
      <Load of={variables}>
        {({ results }) =>
          results.length ? (
            <VariableTable
              variables={results}
              onEdit={(edited) => setDialog({ edited })}
              onRemove={(removed) => setDialog({ removed })}
            />
          ) : (
            <Empty title="No variables yet">
              <p>
                SQL of an endpoint takes values as <code>{'{variables.name}'}</code>. Define the variable here first:
                its type protects the endpoint from values that make no sense.
              </p>
            </Empty>
          )
        }
      </Load>
      {dialog?.removed && (
        <ConfirmDialog
          title={`Delete ${dialog.removed.name}?`}
          action="Delete the variable"
          act={() =>
            dataOf(
              api.DELETE('/api/projects/{projectId}/insight_variables/{id}', {
                params: inProjectWithId(id, dialog.removed!.id),
              }),
            )
          }
          onDone={() => done('The variable is deleted.')}
          onClose={close}
        >
          <p>A variable that an endpoint uses cannot be deleted.</p>
        </ConfirmDialog>
      )}
      {dialog && !dialog.removed && (
        <VariableDialog variable={dialog.edited} onSaved={() => done('The variable is saved.')} onClose={close} />
      )}
    </Card>
  )
}

const VariableTable = ({
  variables,
  onEdit,
  onRemove,
}: {
  readonly variables: readonly Variable[]
  readonly onEdit: (variable: Variable) => void
  readonly onRemove: (variable: Variable) => void
}) => {
  const columns: readonly Column<Variable>[] = [
    { key: 'name', title: 'Name', cell: ({ name }) => name },
    { key: 'code', title: 'In SQL', cell: ({ code_name: code }) => <code>{`{variables.${code}}`}</code> },
    { key: 'type', title: 'Type', cell: ({ type, schema }) => (schema ? `${type} (${schema.type})` : type) },
    {
      key: 'default',
      title: 'Default',
      cell: ({ default_value: value }) =>
        value === null || value === undefined || value === '' ? (
          <span class="muted">–</span>
        ) : (
          <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
        ),
    },
    {
      key: 'actions',
      title: <span class="visually-hidden">Actions</span>,
      cell: (variable) => (
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button
            type="button"
            class="button"
            aria-label={`Change the variable ${variable.name}`}
            onClick={() => onEdit(variable)}
          >
            Change
          </button>
          <button
            type="button"
            class="button plain icon"
            aria-label={`Delete the variable ${variable.name}`}
            onClick={() => onRemove(variable)}
          >
            <Icon name="trash" size={16} />
          </button>
        </div>
      ),
    },
  ]
  return <Table caption="Variables" columns={columns} rows={variables} rowKey={({ id }) => id} />
}

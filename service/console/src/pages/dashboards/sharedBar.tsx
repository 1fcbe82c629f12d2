import { api, dataOf } from '../../api/client.ts'
import { inProject, type ResponseOf } from '../../api/inProject.ts'
import { filtersOf } from '../../lib/filters.ts'
import type { Period } from '../../lib/period.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { FilterBar } from '../../ui/filterBar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useCommitted } from '../../ui/inputs.tsx'
import { PeriodMenu } from '../../ui/periodMenu.tsx'
import { chosenPeriod, variableParameter } from './sharedValues.ts'
import type { Shared } from './tileRequest.ts'

type Variable = ResponseOf<'/api/projects/{projectId}/insight_variables', 'get'>['results'][number]

const ownPeriod = ({ dateRange }: Shared): Period => ({
  name: 'saved',
  label: dateRange ? `Dates: ${dateRange.date_from} to ${dateRange.date_to ?? 'now'}` : 'Dates of the tiles',
  shortcut: '',
  dateFrom: '',
  interval: 'day',
})

/** The dates of all tiles, in the head of the page. They are in the URL. */
export const DashboardPeriod = ({ shared }: { readonly shared: Shared }) => {
  const chosen = chosenPeriod(search.value)
  return (
    <>
      <PeriodMenu period={chosen ?? ownPeriod(shared)} />
      {chosen && (
        <button
          type="button"
          class="button plain icon"
          aria-label="Use the dates of the dashboard"
          title="Use the dates of the dashboard"
          onClick={() => setSearch({ period: undefined, from: undefined, to: undefined })}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </>
  )
}

/** Filters and variables of all tiles. They are in the URL; "Save" keeps dates and variables for everyone. */
export const SharedBar = ({
  shared,
  names,
  isSavable,
  onSave,
}: {
  readonly shared: Shared
  /** Code names of the variables that tiles take. */
  readonly names: readonly string[]
  readonly isSavable: boolean
  readonly onSave: () => void
}) => {
  const { id } = useProject()
  const variables = useLoad(names.length ? `variables ${id}` : undefined, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/insight_variables', { params: inProject(id), signal })),
  )
  return (
    <div class="row" style={{ marginBottom: '1rem' }}>
      {names.map((name) => (
        <VariableInput
          key={name}
          name={name}
          value={shared.variables[name]}
          variable={variables.data?.results.find(({ code_name: code }) => code === name)}
        />
      ))}
      <FilterBar filters={filtersOf(search.value)} />
      {isSavable && (
        <button type="button" class="button" onClick={onSave}>
          Keep these dates and values
        </button>
      )}
    </div>
  )
}

const VariableInput = ({
  name,
  value,
  variable,
}: {
  readonly name: string
  readonly value: unknown
  readonly variable: Variable | undefined
}) => {
  const choose = (text: string) => {
    const isTyped = variable?.type === 'Number' || variable?.type === 'Boolean'
    setSearch(variableParameter(name, isTyped && text ? (JSON.parse(text) as unknown) : text), { replace: true })
  }
  const choices = variable?.type === 'Boolean' ? ['true', 'false'] : (variable?.values ?? [])
  const shown = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const label = variable?.name ?? name
  return (
    <label class="row">
      <span class="small">{label}</span>
      {choices.length ? (
        <select class="input" value={shown} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">Choose …</option>
          {choices.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : (
        <FreeInput type={variable?.type} value={shown} onCommit={choose} />
      )}
    </label>
  )
}

const FreeInput = ({
  type,
  value,
  onCommit,
}: {
  readonly type: Variable['type'] | undefined
  readonly value: string
  readonly onCommit: (value: string) => void
}) => {
  const shared = { class: 'input', style: { width: '11rem' }, ...useCommitted(value, onCommit) }
  if (type === 'Number') return <input {...shared} type="number" step="any" />
  if (type === 'Date') return <input {...shared} type="date" />
  return <input {...shared} type="text" />
}

import { useState } from 'preact/hooks'
import { displayOf, isBuilt } from '../../insights/kinds.ts'
import { readStored, writeStored } from '../../lib/stored.ts'
import { useProject } from '../../project.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Segments } from '../../ui/field.tsx'
import { TextArea, TextInput } from '../../ui/inputs.tsx'
import type { Display, Tile, TileChoice } from '../../api/dashboards.ts'
import { DISPLAYS } from './dashboard.ts'
import type { TileEndpoint } from './tileRequest.ts'

interface Form {
  readonly title: string
  readonly display: Display
  readonly source: 'endpoint' | 'query'
  readonly endpoint: string
  readonly query: string
}

const EXAMPLE = `{
  "kind": "TrendsQuery",
  "series": [{ "kind": "EventsNode", "event": "$pageview" }],
  "dateRange": { "date_from": "-7d" }
}`

const toForm = (tile: Tile | undefined): Form => ({
  title: tile?.title ?? '',
  display: tile?.display ?? 'line',
  source: tile?.query ? 'query' : 'endpoint',
  endpoint: tile?.endpoint ?? '',
  query: tile?.query ? JSON.stringify(tile.query, null, 2) : '',
})

/** Reads a query that was pasted as JSON. A request of the API, with the query in `query`, will do too. */
const parseQuery = (text: string): NonNullable<Tile['query']> | string => {
  try {
    const value = JSON.parse(text) as unknown
    const query =
      typeof value === 'object' && value !== null && !('kind' in value) && 'query' in value ? value.query : value
    if (typeof query === 'object' && query !== null && 'kind' in query && typeof query.kind === 'string')
      return query as NonNullable<Tile['query']>
    return 'A query is a JSON object with a “kind”, such as the example above.'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Adds a tile, or changes what it shows. What is written is kept until it is applied. */
export const TileDialog = ({
  tile,
  endpoints,
  onSave,
  onClose,
}: {
  /** Absent: a new tile. */
  readonly tile: Tile | undefined
  /** The active endpoints by name. */
  readonly endpoints: ReadonlyMap<string, TileEndpoint>
  readonly onSave: (choice: TileChoice) => void
  readonly onClose: () => void
}) => {
  const { id } = useProject()
  const stored = `tile ${id} ${tile?.id ?? 'new'}`
  const [form, setForm] = useState<Form>(() => ({ ...toForm(tile), ...readStored<Partial<Form>>(stored) }))
  const [error, setError] = useState<string>()
  const change = (changes: Partial<Form>) => {
    setForm({ ...form, ...changes })
    setError(undefined)
    writeStored(stored, { ...form, ...changes })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const query = form.source === 'query' ? parseQuery(form.query) : undefined
    if (typeof query === 'string') return setError(query)
    const { title, display, endpoint } = form
    writeStored(stored, undefined)
    onSave({ title: title.trim() || (query ? query.kind : endpoint), display, ...(query ? { query } : { endpoint }) })
  }
  return (
    <Dialog title={tile ? 'Change the tile' : 'Add a tile'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Source form={form} endpoints={endpoints} error={error} onChange={change} />
        <TextInput label="Title" maxLength={400} value={form.title} onChange={(title) => change({ title })} />
        <Field label="Shown as">
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={form.display}
              onChange={(event) => change({ display: event.currentTarget.value as Display })}
            >
              {Object.entries(DISPLAYS).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div class="row">
          <button type="submit" class="button primary">
            {tile ? 'Apply' : 'Add'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const Source = ({
  form,
  endpoints,
  error,
  onChange,
}: {
  readonly form: Form
  readonly endpoints: ReadonlyMap<string, TileEndpoint>
  readonly error: string | undefined
  readonly onChange: (changes: Partial<Form>) => void
}) => {
  const names = [...endpoints.keys()]
  const isInsight = (name: string) => isBuilt(endpoints.get(name)?.query ?? { kind: '' })
  return (
    <>
      <div>
        <Segments
          label="What the tile runs"
          value={form.source}
          options={[
            { value: 'endpoint', label: 'An endpoint' },
            { value: 'query', label: 'A query' },
          ]}
          onChange={(source) => onChange({ source })}
        />
      </div>
      {form.source === 'endpoint' ? (
        <Field label="Endpoint" hint={endpoints.size ? undefined : 'This project has no active endpoints yet.'}>
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              required
              value={form.endpoint}
              onChange={({ currentTarget: { value: endpoint } }) => {
                const query = endpoints.get(endpoint)?.query
                onChange({ endpoint, ...(query ? { display: displayOf(query) } : {}) })
              }}
            >
              <option value="">Choose …</option>
              {form.endpoint && !endpoints.has(form.endpoint) && <option value={form.endpoint}>{form.endpoint}</option>}
              <Options label="Saved insights" names={names.filter((name) => isInsight(name))} />
              <Options label="Other endpoints" names={names.filter((name) => !isInsight(name))} />
            </select>
          )}
        </Field>
      ) : (
        <TextArea
          label="Query (JSON)"
          hint="Paste the query of an insight, or SQL as {kind, query}."
          error={error}
          isCode
          isRequired
          placeholder={EXAMPLE}
          rows={9}
          value={form.query}
          onChange={(query) => onChange({ query })}
        />
      )}
    </>
  )
}

const Options = ({ label, names }: { readonly label: string; readonly names: readonly string[] }) =>
  names.length ? (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </optgroup>
  ) : null

import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import { inProject, inProjectWithId } from '../../api/inProject.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { TextArea, TextInput } from '../../ui/inputs.tsx'
import { Failed } from '../../ui/states.tsx'
import type { Variable } from './variable.ts'

const TYPES = ['String', 'Number', 'Boolean', 'Date', 'List'] as const satisfies readonly Variable['type'][]

interface Form {
  readonly name: string
  readonly type: Variable['type']
  /** Text as entered. */
  readonly defaultValue: string
  /** Values of a list, one per line. */
  readonly values: string
  /** JSON text. Empty: no value. */
  readonly schema: string
}

const toForm = (variable: Variable | undefined): Form => ({
  name: variable?.name ?? '',
  type: variable?.type ?? 'String',
  defaultValue:
    variable?.default_value === undefined || variable.default_value === null
      ? ''
      : typeof variable.default_value === 'string'
        ? variable.default_value
        : JSON.stringify(variable.default_value),
  values: variable?.values.join('\n') ?? '',
  schema: variable?.schema ? JSON.stringify(variable.schema) : '',
})

const parse = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(`${what} is not valid: ${text}`, 'invalid_input', 0)
  }
}

const toInput = ({ name, type, defaultValue, values, schema }: Form) => ({
  name,
  type,
  default_value:
    defaultValue === ''
      ? null
      : type === 'Number' || type === 'Boolean'
        ? parse(defaultValue, 'The default')
        : defaultValue,
  ...(type === 'List' ? { values: values.split('\n').filter(Boolean) } : {}),
  schema: schema.trim() ? (parse(schema, 'The JSON of the rules') as Variable['schema']) : null,
})

/** Defines a variable, or changes one. */
export const VariableDialog = ({
  variable,
  onSaved,
  onClose,
}: {
  readonly variable: Variable | undefined
  readonly onSaved: () => void
  readonly onClose: () => void
}) => {
  const { id } = useProject()
  const [form, setForm] = useState(() => toForm(variable))
  const change = (changes: Partial<Form>) => setForm({ ...form, ...changes })
  const { run, isRunning, error } = useMutation(async () => {
    const body = toInput(form)
    return dataOf(
      variable
        ? api.PATCH('/api/projects/{projectId}/insight_variables/{id}', {
            params: inProjectWithId(id, variable.id),
            body,
          })
        : api.POST('/api/projects/{projectId}/insight_variables', { params: inProject(id), body }),
    )
  })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await run()) onSaved()
  }
  return (
    <Dialog title={variable ? 'Change the variable' : 'New variable'} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <Fields form={form} isNew={!variable} onChange={change} />
        {error && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="button primary" disabled={isRunning}>
            Save
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const Fields = ({
  form,
  isNew,
  onChange,
}: {
  readonly form: Form
  readonly isNew: boolean
  readonly onChange: (changes: Partial<Form>) => void
}) => (
  <>
    <TextInput
      label="Name"
      hint={isNew ? 'The name in SQL is derived from it.' : undefined}
      isRequired
      value={form.name}
      onChange={(name) => onChange({ name })}
    />
    <Field label="Type">
      {(attributes) => (
        <select
          {...attributes}
          class="input"
          value={form.type}
          onChange={(event) => onChange({ type: event.currentTarget.value as Form['type'] })}
        >
          {TYPES.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      )}
    </Field>
    {form.type === 'List' && (
      <TextArea
        label="Values"
        hint="One per line."
        isRequired
        value={form.values}
        onChange={(values) => onChange({ values })}
      />
    )}
    <TextInput
      label="Default"
      hint="Fills in forms. Runs must still pass a value."
      value={form.defaultValue}
      onChange={(defaultValue) => onChange({ defaultValue })}
    />
    <TextInput
      label="Rules"
      hint='Narrows the type, as JSON: {"type": "integer", "minimum": 1}. Optional.'
      isCode
      value={form.schema}
      onChange={(schema) => onChange({ schema })}
    />
  </>
)

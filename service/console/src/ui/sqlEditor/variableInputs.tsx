import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { FieldIssue } from '../../api/failure.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Field, Select } from '../field.tsx'
import styles from './sqlEditor.module.css'
import { initialText, type Variable, VARIABLE_TYPES, type VariableTypeName } from './useVariables.ts'

/** Inputs for the variables of a query. One that the project does not have yet can be defined in place. */
export const VariableInputs = ({
  names,
  variables,
  texts,
  issues,
  onChange,
  onDefined,
}: {
  /** Variables of the query. */
  readonly names: readonly string[]
  readonly variables: readonly Variable[]
  /** Typed values by variable. */
  readonly texts: Readonly<Record<string, string>>
  readonly issues: readonly FieldIssue[]
  readonly onChange: (name: string, text: string) => void
  readonly onDefined: () => void
}) => (
  <div class={styles.variables} role="group" aria-label="Variables">
    {names.map((name) => {
      const variable = variables.find(({ code_name }) => code_name === name)
      return variable ? (
        <VariableInput
          key={name}
          variable={variable}
          text={texts[name] ?? initialText(variable)}
          error={issues.find(({ path }) => path === name)?.message}
          onChange={(text) => onChange(name, text)}
        />
      ) : (
        <DefineVariable key={name} name={name} onDefined={onDefined} />
      )
    })}
  </div>
)

const choicesOf = ({ type, values }: Variable): readonly string[] => (type === 'Boolean' ? ['true', 'false'] : values)

const VariableInput = ({
  variable,
  text,
  error,
  onChange,
}: {
  readonly variable: Variable
  readonly text: string
  readonly error: string | undefined
  readonly onChange: (text: string) => void
}) => (
  <Field
    label={variable.code_name}
    hint={variable.type === 'Date' ? 'YYYY-MM-DD, or with a time.' : variable.type}
    error={error}
  >
    {(attributes) =>
      choicesOf(variable).length > 0 ? (
        <select {...attributes} class="input" value={text} onChange={(event) => onChange(event.currentTarget.value)}>
          {choicesOf(variable).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          class="input mono"
          inputMode={variable.type === 'Number' ? 'decimal' : 'text'}
          autocomplete="off"
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
    }
  </Field>
)

const TYPE_OPTIONS = VARIABLE_TYPES.map((value) => ({ value, label: value }))

const DefineVariable = ({ name, onDefined }: { readonly name: string; readonly onDefined: () => void }) => {
  const { id } = useProject()
  const [type, setType] = useState<VariableTypeName>('String')
  const { run, isRunning, error } = useMutation(() =>
    dataOf(
      api.PUT('/api/projects/{projectId}/insight_variables/{id}', {
        params: { path: { projectId: String(id), id: name } },
        body: { type },
      }),
    ),
  )
  return (
    <div class="field">
      <span class="field-label">{name}</span>
      <div class="row">
        <Select label={`Type of ${name}`} value={type} options={TYPE_OPTIONS} onChange={setType} />
        <button
          type="button"
          class="button"
          disabled={isRunning}
          onClick={() => void run().then((defined) => defined && onDefined())}
        >
          Define
        </button>
      </div>
      <span class={error ? 'field-error' : 'field-hint'}>
        {error?.message ?? 'The project has no such variable yet.'}
      </span>
    </div>
  )
}

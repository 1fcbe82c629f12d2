import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Query } from '../../api/query.ts'
import type { Failure } from '../../api/failure.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { Code } from '../../ui/copy.tsx'
import { Field } from '../../ui/field.tsx'
import { Failed, Load, Progress } from '../../ui/states.tsx'

const ROWS = 16

const parse = (text: string): Query | string => {
  try {
    return JSON.parse(text) as Query
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}

/** An insight as JSON, which runs without being stored. */
export const InsightWorkbench = ({
  label,
  sql: text,
  actions,
  failure,
  onChange,
}: {
  readonly label: string
  readonly sql: string
  readonly actions?: ComponentChildren
  /** Why this text could not be saved. */
  readonly failure?: Failure | undefined
  readonly onChange: (text: string) => void
}) => {
  const [query, setQuery] = useState<Query>()
  const loaded = useQuery(query)
  const parsed = parse(text)
  return (
    <div class="stack">
      <Field
        label={label}
        hint="An insight as JSON, as the API takes it."
        error={typeof parsed === 'string' ? parsed : undefined}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            class="input mono"
            rows={ROWS}
            spellcheck={false}
            value={text}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <button
          type="button"
          class="button primary"
          disabled={typeof parsed === 'string'}
          onClick={() => typeof parsed !== 'string' && setQuery(parsed)}
        >
          Run
        </button>
        {loaded.isLoading && (
          <button type="button" class="button" onClick={() => setQuery(undefined)}>
            Cancel
          </button>
        )}
        {actions}
      </div>
      <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
      {failure && <Failed error={failure} />}
      {query && (
        <Load of={loaded}>{({ results }) => <Code label="Result" text={JSON.stringify(results, undefined, 2)} />}</Load>
      )}
    </div>
  )
}

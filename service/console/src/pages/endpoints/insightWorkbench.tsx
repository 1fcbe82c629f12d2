import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Query } from '../../api/query.ts'
import type { Failure } from '../../api/failure.ts'
import { lineOf, rangeOfJson, type TextRange } from '../../lib/jsonRange.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { Code } from '../../ui/copy.tsx'
import { Field } from '../../ui/field.tsx'
import { Failed, Load, Progress } from '../../ui/states.tsx'

const ROWS = 16

/** Where and why the text is wrong. */
interface Fault extends TextRange {
  readonly message: string
}

/**
 * Returns the position at fault in text that the API rejected. `undefined`: the failure does not refer to a position.
 */
const faultOf = (text: string, failure: Failure | undefined): Fault | undefined => {
  const issue = failure?.errors.find(({ path }) => path.startsWith('query.'))
  return issue && { ...rangeOfJson(text, issue.path.split('.').slice(1)), message: issue.message }
}

const parse = (text: string): Query | string => {
  try {
    return JSON.parse(text) as Query
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}

/** A JSON editor for an insight. Running the insight does not store it. */
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
  /** Reason why this text could not be saved. */
  readonly failure?: Failure | undefined
  readonly onChange: (text: string) => void
}) => {
  const [query, setQuery] = useState<Query>()
  const loaded = useQuery(query)
  const area = useRef<HTMLTextAreaElement>(null)
  const parsed = parse(text)
  const isOfText = JSON.stringify(query) === JSON.stringify(parsed)
  const fault =
    typeof parsed === 'string'
      ? undefined
      : (faultOf(text, failure) ?? faultOf(text, isOfText ? loaded.error : undefined))
  const show = ({ start, end }: TextRange) => {
    area.current?.focus()
    area.current?.setSelectionRange(start, end)
  }
  return (
    <div class="stack">
      <Field
        label={label}
        hint="An insight as JSON, as the API takes it."
        error={typeof parsed === 'string' ? parsed : fault && `Line ${lineOf(text, fault.start)}: ${fault.message}`}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            ref={area}
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
        {fault && (
          <button type="button" class="button" onClick={() => show(fault)}>
            Show the error in the text
          </button>
        )}
        {actions}
      </div>
      <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
      {failure && !faultOf(text, failure) && <Failed error={failure} />}
      {query && !(fault && isOfText) && (
        <Load of={loaded}>{({ results }) => <Code label="Result" text={JSON.stringify(results, undefined, 2)} />}</Load>
      )}
    </div>
  )
}

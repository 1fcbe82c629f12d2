import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { Failure } from '../../api/failure.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { QueryTable } from '../queryTable.tsx'
import { Load, Progress } from '../states.tsx'
import type { Editor } from './createEditor.ts'
import { problemOf } from './problem.ts'
import { QueryProblem } from './queryProblem.tsx'
import { SqlEditor } from './sqlEditor.tsx'
import { variablesOf } from './sqlVariables.ts'
import { useSqlNames } from './useSqlNames.ts'
import { initialText, toVariableValue, useVariables } from './useVariables.ts'
import { VariableInputs } from './variableInputs.tsx'

/** Maximum rows that the page shows. An endpoint returns all rows. */
const MAX_ROWS = 1_000

interface Run {
  readonly sql: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** An SQL editor with inputs for the query's variables. Running the query does not store it. */
export const SqlWorkbench = ({
  label,
  sql,
  actions,
  failure: saveFailure,
  onChange,
  onRun,
}: {
  readonly label: string
  readonly sql: string
  /** Further buttons beside "Run". */
  readonly actions?: ComponentChildren
  /** Reason why this SQL could not be saved. */
  readonly failure?: Failure | undefined
  readonly onChange: (sql: string) => void
  readonly onRun?: (sql: string) => void
}) => {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [run, setRun] = useState<Run>()
  const editor = useRef<Editor>(null)
  const sqlNames = useSqlNames()
  const variables = useVariables()
  const loaded = useQuery(run && { kind: 'HogQLQuery', query: run.sql }, { variables: run?.variables, limit: MAX_ROWS })
  const names = variablesOf(sql)
  const failure = saveFailure ?? loaded.error
  const issues = failure?.code === 'invalid_variables' ? failure.errors : []

  const start = () => {
    const values = Object.fromEntries(
      names.map((name) => {
        const variable = variables.data?.find(({ code_name }) => code_name === name)
        return [name, toVariableValue(variable?.type ?? 'String', texts[name] ?? initialText(variable))]
      }),
    )
    const next = { sql, variables: values }
    onRun?.(sql)
    if (JSON.stringify(next) === JSON.stringify(run)) loaded.reload({ force: true })
    else setRun(next)
  }
  const problems = useMemo(() => {
    const problem = problemOf(failure)
    return problem ? [problem] : []
  }, [failure])

  return (
    <div class="stack">
      <SqlEditor
        label={label}
        value={sql}
        names={sqlNames}
        problems={problems}
        editor={editor}
        onChange={onChange}
        onRun={start}
      />
      {names.length > 0 && (
        <VariableInputs
          names={names}
          variables={variables.data ?? []}
          texts={texts}
          issues={issues}
          onChange={(name, text) => setTexts({ ...texts, [name]: text })}
          onDefined={() => variables.reload()}
        />
      )}
      <div class="row">
        <button type="button" class="button primary" disabled={sql.trim() === ''} onClick={start}>
          Run
        </button>
        {loaded.isLoading && (
          <button type="button" class="button" onClick={() => setRun(undefined)}>
            Cancel
          </button>
        )}
        {actions}
        <span class="small muted">Ctrl or ⌘ with Enter runs. Tab leaves the editor.</span>
      </div>
      <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
      {failure && (
        <QueryProblem
          failure={failure}
          canFix={saveFailure !== undefined || sql === run?.sql}
          onGoTo={(offset) => editor.current?.goTo(offset)}
          onFix={(from, to, replacement) => onChange(sql.slice(0, from) + replacement + sql.slice(to))}
        />
      )}
      {run && !failure && <Load of={loaded}>{(result) => <QueryTable caption="Result" result={result} />}</Load>}
    </div>
  )
}

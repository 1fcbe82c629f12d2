import { useState } from 'preact/hooks'
import type { Query } from '../../api/query.ts'
import { readStored, writeStored } from '../../lib/stored.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { setSearch } from '../../router.ts'
import { SqlWorkbench } from '../../ui/sqlEditor/sqlWorkbench.tsx'
import { toast } from '../../ui/toast.tsx'
import { changeEndpoint, isSql, textOfQuery, type TabProps } from './endpointApi.ts'
import { InsightWorkbench } from './insightWorkbench.tsx'

/** The edited query, and the version it is based on. */
interface Draft {
  readonly text: string
  readonly ofVersion: number
}

const useDraft = ({ endpoint }: TabProps) => {
  const { id } = useProject()
  const name = `endpoint:${id}:${endpoint.name}`
  const saved = textOfQuery(endpoint.query)
  const ofVersion = endpoint.version ?? endpoint.current_version
  const [draft, setDraft] = useState<Draft | undefined>(() => readStored<Draft>(name))
  const isOfThis = draft?.ofVersion === ofVersion
  const change = (text: string | undefined) => {
    const next = text === undefined || text === saved ? undefined : { text, ofVersion }
    setDraft(next)
    writeStored(name, next)
  }
  return { text: isOfThis ? draft.text : saved, isChanged: isOfThis && draft.text !== saved, change }
}

const toQuery = (text: string, isOfSql: boolean): Query =>
  isOfSql ? { kind: 'HogQLQuery', query: text } : (JSON.parse(text) as Query)

/** The query of an endpoint: edit it, run it with values, save it as the next version. */
export const QueryTab = ({ endpoint, onChanged }: TabProps) => {
  const { id } = useProject()
  const { text, isChanged, change } = useDraft({ endpoint, onChanged })
  const { run, isRunning, error, clearError } = useMutation(async (written: string) =>
    changeEndpoint(id, endpoint.name, { query: toQuery(written, isSql(endpoint)) }),
  )
  const save = async () => {
    const saved = await run(text)
    if (!saved) return
    change(undefined)
    toast(`Saved version ${saved.current_version}.`)
    setSearch({ version: undefined })
    onChanged()
  }
  const edit = (next: string) => {
    clearError()
    change(next)
  }
  const actions = (
    <>
      <button type="button" class="button" disabled={!isChanged || isRunning} onClick={() => void save()}>
        Save as version {endpoint.current_version + 1}
      </button>
      {isChanged && (
        <button type="button" class="button plain" onClick={() => edit(textOfQuery(endpoint.query))}>
          Discard changes
        </button>
      )}
    </>
  )
  const Workbench = isSql(endpoint) ? SqlWorkbench : InsightWorkbench
  return <Workbench label={`Query of ${endpoint.name}`} sql={text} actions={actions} failure={error} onChange={edit} />
}

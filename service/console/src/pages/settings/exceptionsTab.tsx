import { api, ask } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { type ExceptionDraft, toConfig, toDraft } from './exceptionDraft.ts'
import type { RemoteConfig } from './recordingDraft.ts'
import { Check } from './recordingFields.tsx'
import { SaveBar } from './saveBar.tsx'
import { SuppressionRules } from './suppressionRules.tsx'

/** Which exceptions sites capture, and which they drop. */
export const ExceptionsTab = () => {
  const { id } = useProject()
  const config = useLoad(`remote config ${id}`, ({ signal }) =>
    ask(api.GET('/api/projects/{projectId}/remote_config', { params: inProject(id), signal })),
  )
  return <Load of={config}>{(data) => <ExceptionsForm config={data} onSaved={() => config.reload()} />}</Load>
}

const ExceptionsForm = ({ config, onSaved }: { readonly config: RemoteConfig; readonly onSaved: () => void }) => {
  const { id } = useProject()
  const draft = useDraft(`exception settings ${id}`, toDraft(config), undefined)
  const { run, isRunning, error } = useMutation(() =>
    ask(api.PATCH('/api/projects/{projectId}/remote_config', { params: inProject(id), body: toConfig(draft.value) })),
  )
  const save = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    draft.discard()
    toast('Saved. Sites follow at their next page load.')
    onSaved()
  }
  const change = (changes: Partial<ExceptionDraft>) => draft.change({ ...draft.value, ...changes })
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <Card title="What sites capture">
        <Kinds draft={draft.value} onChange={change} />
      </Card>
      <Card title="What sites drop">
        <p class="muted small" style={{ marginBottom: '0.75rem' }}>
          The first rule that matches drops the exception in the browser. Separate several values by lines: one of them
          is enough.
        </p>
        <SuppressionRules rules={draft.value.rules} onChange={(rules) => change({ rules })} />
      </Card>
      <SaveBar draft={draft} isRunning={isRunning} error={error} />
    </form>
  )
}

const Kinds = ({
  draft,
  onChange,
}: {
  readonly draft: ExceptionDraft
  readonly onChange: (changes: Partial<ExceptionDraft>) => void
}) => (
  <div class="stack">
    <Check
      label="Capture exceptions by themselves"
      about="Sites can set this by their own options, which win. captureException() always works."
      value={draft.isOn}
      onChange={(isOn) => onChange({ isOn })}
    />
    {draft.isOn && (
      <>
        <Check label="Unhandled errors" value={draft.errors} onChange={(errors) => onChange({ errors })} />
        <Check
          label="Unhandled promise rejections"
          value={draft.rejections}
          onChange={(rejections) => onChange({ rejections })}
        />
        <Check
          label="Calls of console.error"
          value={draft.consoleErrors}
          onChange={(consoleErrors) => onChange({ consoleErrors })}
        />
      </>
    )}
    <Check
      label="Capture exceptions of browser extensions"
      value={draft.extensions}
      onChange={(extensions) => onChange({ extensions })}
    />
  </div>
)

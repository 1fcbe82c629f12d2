import { api, ask } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { type RecordingDraft, type RemoteConfig, toDraft, toRecording } from './recordingDraft.ts'
import { Check, LinesField, TextField } from './recordingFields.tsx'
import { RecordingStorage } from './recordingStorage.tsx'
import { Groups, Triggers } from './recordingTriggers.tsx'
import { SaveBar } from './saveBar.tsx'

/** Which sessions are recorded, what of them, and how long recordings are stored. */
export const RecordingTab = () => {
  const { id } = useProject()
  const config = useLoad(`remote config ${id}`, ({ signal }) =>
    ask(api.GET('/api/projects/{projectId}/remote_config', { params: inProject(id), signal })),
  )
  return (
    <div class="stack">
      <Load of={config}>{(data) => <RecordingForm config={data} onSaved={() => config.reload()} />}</Load>
      <RecordingStorage />
    </div>
  )
}

const RecordingForm = ({ config, onSaved }: { readonly config: RemoteConfig; readonly onSaved: () => void }) => {
  const { id } = useProject()
  const saved = config.sessionRecording
  const draft = useDraft(`recording settings ${id}`, toDraft(saved), undefined)
  const { run, isRunning, error } = useMutation(() =>
    ask(
      api.PATCH('/api/projects/{projectId}/remote_config', {
        params: inProject(id),
        body: { sessionRecording: toRecording(draft.value, saved) },
      }),
    ),
  )
  const save = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    draft.discard()
    toast('Saved. Sites follow at their next page load.')
    onSaved()
  }
  const change = (changes: Partial<RecordingDraft>) => draft.change({ ...draft.value, ...changes })
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <Card title="Session recording">
        <Check
          label="Record sessions"
          about="Sites load the recorder from their next page load on. Turning it off and saving removes the settings below."
          value={draft.value.isOn}
          onChange={(isOn) => change({ isOn })}
        />
      </Card>
      {draft.value.isOn && <WhenCards draft={draft.value} onChange={change} />}
      {draft.value.isOn && <WhatCards draft={draft.value} onChange={change} />}
      <SaveBar draft={draft} isRunning={isRunning} error={error} />
    </form>
  )
}

interface CardsProps {
  readonly draft: RecordingDraft
  readonly onChange: (changes: Partial<RecordingDraft>) => void
}

const WhenCards = ({ draft, onChange }: CardsProps) => (
  <>
    <Card title="Which sessions">
      <div class="stack">
        <Triggers draft={draft} onChange={onChange} />
        <LinesField
          label="Never record these URLs"
          hint="A regular expression per line. The recording pauses there."
          value={draft.blockedUrls}
          onChange={(blockedUrls) => onChange({ blockedUrls })}
        />
      </div>
    </Card>
    <Card title="Trigger groups">
      <p class="muted small" style={{ marginBottom: '0.75rem' }}>
        A session is recorded if a group is met and has it in its share. Groups replace the triggers above.
      </p>
      <Groups groups={draft.groups} onChange={(groups) => onChange({ groups })} />
    </Card>
  </>
)

const WhatCards = ({ draft, onChange }: CardsProps) => (
  <div class="grid-2">
    <Card title="Masking">
      <div class="stack">
        <p class="notice">
          These settings can only be stricter than those of a site. What a site masks or blocks stays so.
        </p>
        <Check
          label="Mask all inputs"
          value={draft.masksInputs}
          onChange={(masksInputs) => onChange({ masksInputs })}
        />
        <Check
          label="Mask all attributes"
          about="Keeps those of the layout."
          value={draft.masksAttributes}
          onChange={(masksAttributes) => onChange({ masksAttributes })}
        />
        <TextField
          label="Mask the text of"
          hint="A CSS selector. An SDK that cannot use it records nothing."
          value={draft.maskSelector}
          onChange={(maskSelector) => onChange({ maskSelector })}
        />
        <TextField
          label="Leave out"
          hint="A CSS selector. These elements are empty boxes in recordings."
          value={draft.blockSelector}
          onChange={(blockSelector) => onChange({ blockSelector })}
        />
        <Check
          label="Allow canvas"
          about="Only on sites that record it by their own options."
          value={draft.allowsCanvas}
          onChange={(allowsCanvas) => onChange({ allowsCanvas })}
        />
      </div>
    </Card>
    <Card title="Console and network">
      <div class="stack">
        <Check
          label="Record the console"
          value={draft.recordsConsole}
          onChange={(recordsConsole) => onChange({ recordsConsole })}
        />
        <Check
          label="Allow headers of requests"
          about="Only on sites that record them by their own options."
          value={draft.allowsHeaders}
          onChange={(allowsHeaders) => onChange({ allowsHeaders })}
        />
        <Check
          label="Allow bodies of requests"
          about="Only on sites that record them by their own options."
          value={draft.allowsBodies}
          onChange={(allowsBodies) => onChange({ allowsBodies })}
        />
      </div>
    </Card>
  </div>
)

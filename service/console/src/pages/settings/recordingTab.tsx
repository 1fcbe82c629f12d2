import { useProject } from '../../project.ts'
import { Checkbox, TextArea, TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { type RecordingDraft, toDraft, toRecording } from './recordingDraft.ts'
import { RecordingStorage } from './recordingStorage.tsx'
import { Groups, Triggers } from './recordingTriggers.tsx'
import { SettingsForm } from './settingsForm.tsx'
import styles from './settings.module.css'
import { saveConfig, useRemoteConfig } from './useRemoteConfig.ts'

/** Settings of recordings: which sessions, which content, and how long they are stored. */
export const RecordingTab = () => {
  const { id } = useProject()
  const config = useRemoteConfig()
  return (
    <div class="stack">
      <Load of={config}>
        {(settings) => (
          <SettingsForm
            name={`recording settings ${id}`}
            saved={toDraft(settings.sessionRecording)}
            save={(draft) =>
              saveConfig(id, settings, { sessionRecording: toRecording(draft, settings.sessionRecording) })
            }
            done="Saved. Sites follow at their next page load."
            onSaved={() => config.reload()}
          >
            {(draft, change) => (
              <>
                <Card title="Session recording">
                  <Checkbox
                    label="Record sessions"
                    about="Sites load the recorder from their next page load on. Saving with recording turned off removes the settings below, except for what is masked and which pages are left out."
                    value={draft.isOn}
                    onChange={(isOn) => change({ isOn })}
                  />
                </Card>
                {draft.isOn && <WhenCards draft={draft} onChange={change} />}
                {draft.isOn && <WhatCards draft={draft} onChange={change} />}
              </>
            )}
          </SettingsForm>
        )}
      </Load>
      <RecordingStorage />
    </div>
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
        <TextArea
          isCode
          rows={3}
          label="Never record these URLs"
          hint="A regular expression per line. The recording pauses there."
          value={draft.blockedUrls}
          onChange={(blockedUrls) => onChange({ blockedUrls })}
        />
      </div>
    </Card>
    <Card title="Trigger groups">
      <p class={`muted small ${styles.about}`}>
        A session is recorded if it meets the conditions of a group and is in the group’s share of sessions. Groups
        replace the triggers above.
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
        <Checkbox
          label="Mask all inputs"
          value={draft.masksInputs}
          onChange={(masksInputs) => onChange({ masksInputs })}
        />
        <Checkbox
          label="Mask all attributes"
          about="Except those that affect the layout."
          value={draft.masksAttributes}
          onChange={(masksAttributes) => onChange({ masksAttributes })}
        />
        <TextInput
          isCode
          label="Mask the text of"
          hint="A CSS selector. An SDK that cannot use it records nothing."
          value={draft.maskSelector}
          onChange={(maskSelector) => onChange({ maskSelector })}
        />
        <TextInput
          isCode
          label="Leave out"
          hint="A CSS selector. These elements are empty boxes in recordings."
          value={draft.blockSelector}
          onChange={(blockSelector) => onChange({ blockSelector })}
        />
        <Checkbox
          label="Allow canvas"
          about="Only on sites that record it by their own options."
          value={draft.allowsCanvas}
          onChange={(allowsCanvas) => onChange({ allowsCanvas })}
        />
      </div>
    </Card>
    <Card title="Console and network">
      <div class="stack">
        <Checkbox
          label="Record the console"
          value={draft.recordsConsole}
          onChange={(recordsConsole) => onChange({ recordsConsole })}
        />
        <Checkbox
          label="Allow headers of requests"
          about="Only on sites that record them by their own options."
          value={draft.allowsHeaders}
          onChange={(allowsHeaders) => onChange({ allowsHeaders })}
        />
        <Checkbox
          label="Allow bodies of requests"
          about="Only on sites that record them by their own options."
          value={draft.allowsBodies}
          onChange={(allowsBodies) => onChange({ allowsBodies })}
        />
      </div>
    </Card>
  </div>
)

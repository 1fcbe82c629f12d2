import { useProject } from '../../project.ts'
import { Checkbox } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { type ExceptionDraft, toConfig, toDraft } from './exceptionDraft.ts'
import { GroupingRules } from './groupingRules.tsx'
import { SettingsForm } from './settingsForm.tsx'
import styles from './settings.module.css'
import { SuppressionRules } from './suppressionRules.tsx'
import { saveConfig, useRemoteConfig } from './useRemoteConfig.ts'

/** Which exceptions sites capture and drop, and how they are grouped. */
export const ExceptionsTab = () => {
  const { id } = useProject()
  const config = useRemoteConfig()
  return (
    <div class="stack">
      <Load of={config}>
        {(data) => (
          <SettingsForm
            name={`exception settings ${id}`}
            saved={toDraft(data)}
            save={(draft) => saveConfig(id, data, toConfig(draft))}
            done="Saved. Sites follow at their next page load."
            onSaved={() => config.reload()}
          >
            {(draft, change) => (
              <>
                <Card title="What sites capture">
                  <Kinds draft={draft} onChange={change} />
                </Card>
                <Card title="What sites drop">
                  <p class={`muted small ${styles.about}`}>
                    The first rule that matches drops the exception in the browser. Enter one value per line: any of
                    them can match.
                  </p>
                  <SuppressionRules rules={draft.rules} onChange={(rules) => change({ rules })} />
                </Card>
              </>
            )}
          </SettingsForm>
        )}
      </Load>
      <GroupingRules />
    </div>
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
    <Checkbox
      label="Capture exceptions automatically"
      about="The options of a site take precedence. captureException() always works."
      value={draft.isOn}
      onChange={(isOn) => onChange({ isOn })}
    />
    {draft.isOn && (
      <>
        <Checkbox label="Unhandled errors" value={draft.errors} onChange={(errors) => onChange({ errors })} />
        <Checkbox
          label="Unhandled promise rejections"
          value={draft.rejections}
          onChange={(rejections) => onChange({ rejections })}
        />
        <Checkbox
          label="Calls of console.error"
          value={draft.consoleErrors}
          onChange={(consoleErrors) => onChange({ consoleErrors })}
        />
      </>
    )}
    <Checkbox
      label="Capture exceptions of browser extensions"
      value={draft.extensions}
      onChange={(extensions) => onChange({ extensions })}
    />
  </div>
)

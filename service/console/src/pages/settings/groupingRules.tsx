import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { withItem } from '../../lib/withItem.ts'
import { useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { Checkbox, SelectInput, TextInput } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import {
  type GroupField,
  type GroupingRuleDraft,
  NEW_GROUPING_RULE,
  RULES_PATH,
  toGroupingDraft,
  toGroupingRules,
} from './groupingDraft.ts'
import { SettingsForm } from './settingsForm.tsx'
import styles from './settings.module.css'

const FIELDS: readonly (readonly [field: GroupField, label: string])[] = [
  ['type', 'Type'],
  ['message', 'Message, without ids and numbers'],
  ['file', 'File'],
  ['function', 'Function'],
]

/** The rules by which exceptions are grouped into issues. */
export const GroupingRules = () => {
  const { id } = useProject()
  const rules = useLoad(`fingerprint rules ${id}`, ({ signal }) =>
    dataOf(api.GET(RULES_PATH, { params: inProject(id), signal })),
  )
  return (
    <Load of={rules}>
      {(data) => (
        <SettingsForm
          name={`grouping rules ${id}`}
          saved={toGroupingDraft(data.rules)}
          save={(draft) =>
            dataOf(api.PUT(RULES_PATH, { params: inProject(id), body: { rules: toGroupingRules(draft) } }))
          }
          done="Saved. The rules apply to exceptions that arrive from now on."
          onSaved={() => rules.reload()}
        >
          {(draft, change) => (
            <Card title="How exceptions are grouped">
              <p class={`muted small ${styles.about}`}>
                The first rule that matches decides the issue of an exception. In conditions, * stands for any
                characters. Without a rule, exceptions with one cause are one issue.
              </p>
              <Rules rules={draft.rules} onChange={(next) => change({ rules: next })} />
            </Card>
          )}
        </SettingsForm>
      )}
    </Load>
  )
}

const Rules = ({
  rules,
  onChange,
}: {
  readonly rules: readonly GroupingRuleDraft[]
  readonly onChange: (rules: readonly GroupingRuleDraft[]) => void
}) => (
  <div class="stack">
    {rules.map((rule, index) => (
      <fieldset key={index} class="box" aria-label={`Grouping rule ${index + 1}`}>
        <strong>Grouping rule {index + 1}</strong>
        <RuleFields rule={rule} onChange={(changes) => onChange(withItem(rules, index, { ...rule, ...changes }))} />
        <Result rule={rule} onChange={(changes) => onChange(withItem(rules, index, { ...rule, ...changes }))} />
        <div class="row">
          <button type="button" class="button danger" onClick={() => onChange(withItem(rules, index, undefined))}>
            Remove grouping rule {index + 1}
          </button>
        </div>
      </fieldset>
    ))}
    <div class="row">
      <button type="button" class="button" onClick={() => onChange([...rules, NEW_GROUPING_RULE])}>
        <Icon name="plus" size={16} /> Add a grouping rule
      </button>
    </div>
  </div>
)

interface RuleProps {
  readonly rule: GroupingRuleDraft
  readonly onChange: (changes: Partial<GroupingRuleDraft>) => void
}

const RuleFields = ({ rule, onChange }: RuleProps) => (
  <div class="grid-2">
    <TextInput isCode label="Type of the error" value={rule.type} onChange={(type) => onChange({ type })} />
    <TextInput isCode label="Message" value={rule.message} onChange={(message) => onChange({ message })} />
    <TextInput
      isCode
      label="File of a frame"
      hint="After source maps, such as src/vendor/*"
      value={rule.file}
      onChange={(file) => onChange({ file })}
    />
    <TextInput
      isCode
      label="Function of the frame"
      hint="Must match the same frame"
      value={rule.function}
      onChange={(name) => onChange({ function: name })}
    />
    <SelectInput
      label="Caught by the page"
      value={rule.handled}
      options={[
        ['', 'Yes or no'],
        ['true', 'Yes'],
        ['false', 'No'],
      ]}
      onChange={(handled) => onChange({ handled })}
    />
    <SelectInput
      label="These exceptions are"
      value={rule.isOneIssue ? 'one' : 'many'}
      options={[
        ['one', 'one issue'],
        ['many', 'one issue for each'],
      ]}
      onChange={(result) => onChange({ isOneIssue: result === 'one' })}
    />
  </div>
)

const Result = ({ rule, onChange }: RuleProps) =>
  rule.isOneIssue ? (
    <TextInput isRequired label="Name of the issue" value={rule.issue} onChange={(issue) => onChange({ issue })} />
  ) : (
    <div class={styles.checks}>
      {FIELDS.map(([field, label]) => (
        <Checkbox
          key={field}
          label={label}
          value={rule.groupBy.includes(field)}
          onChange={(isOn) =>
            onChange({
              groupBy: FIELDS.map(([each]) => each).filter((each) =>
                each === field ? isOn : rule.groupBy.includes(each),
              ),
            })
          }
        />
      ))}
    </div>
  )

import { randomId } from '../../lib/id.ts'
import { Field, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextArea, TextInput } from '../../ui/inputs.tsx'
import type { GroupDraft, TriggersDraft } from './recordingDraft.ts'

const MATCHES = [
  { value: 'any', label: 'any of them is met' },
  { value: 'all', label: 'all of them are met' },
] as const

const DAY_SECONDS = 86_400

/** The share of sessions, their minimum duration, and what starts a recording. */
export const Triggers = ({
  draft,
  onChange,
}: {
  readonly draft: TriggersDraft
  readonly onChange: (changes: Partial<TriggersDraft>) => void
}) => (
  <div class="stack">
    <div class="grid-2">
      <NumberField
        label="Share of sessions, %"
        hint="Empty: all sessions."
        max={100}
        value={draft.percent}
        onChange={(percent) => onChange({ percent })}
      />
      <NumberField
        label="Minimum duration, seconds"
        hint="Shorter sessions are not sent."
        max={DAY_SECONDS}
        value={draft.minSeconds}
        onChange={(minSeconds) => onChange({ minSeconds })}
      />
    </div>
    <TextArea
      isCode
      rows={3}
      label="Record from these URLs on"
      hint="A regular expression per line."
      value={draft.urls}
      onChange={(urls) => onChange({ urls })}
    />
    <TextArea
      isCode
      rows={3}
      label="Record from these events on"
      hint="A name per line."
      value={draft.events}
      onChange={(events) => onChange({ events })}
    />
    <div class="grid-2">
      <TextInput isCode label="Record if this flag is on" value={draft.flag} onChange={(flag) => onChange({ flag })} />
      <TextInput
        isCode
        label="Variant of the flag"
        hint="Leave empty for any variant."
        value={draft.variant}
        onChange={(variant) => onChange({ variant })}
      />
    </div>
    <div class="row">
      Record when
      <Select label="Condition" value={draft.match} options={MATCHES} onChange={(match) => onChange({ match })} />
    </div>
  </div>
)

const NEW_GROUP: Omit<GroupDraft, 'id'> = {
  name: '',
  percent: '',
  minSeconds: '',
  match: 'any',
  urls: '',
  events: '',
  flag: '',
  variant: '',
}

/** Groups of conditions, each with its own share and minimum duration. */
export const Groups = ({
  groups,
  onChange,
}: {
  readonly groups: readonly GroupDraft[]
  readonly onChange: (groups: readonly GroupDraft[]) => void
}) => (
  <div class="stack">
    {groups.map((group, index) => (
      <details key={group.id}>
        <summary>{group.name || `Group ${index + 1}`}</summary>
        <Group
          group={group}
          onChange={(changes) => onChange(groups.map((each) => (each === group ? { ...each, ...changes } : each)))}
          onRemove={() => onChange(groups.filter((each) => each !== group))}
        />
      </details>
    ))}
    <div class="row">
      <button type="button" class="button" onClick={() => onChange([...groups, { ...NEW_GROUP, id: randomId() }])}>
        <Icon name="plus" size={16} /> Add a group
      </button>
    </div>
  </div>
)

const Group = ({
  group,
  onChange,
  onRemove,
}: {
  readonly group: GroupDraft
  readonly onChange: (changes: Partial<GroupDraft>) => void
  readonly onRemove: () => void
}) => (
  <div class="stack" style={{ marginTop: '0.75rem' }}>
    <TextInput label="Name" value={group.name} onChange={(name) => onChange({ name })} />
    <Triggers draft={group} onChange={onChange} />
    <div class="row">
      <button type="button" class="button danger" onClick={onRemove}>
        Remove the group
      </button>
    </div>
  </div>
)

/** A number field that may be empty. */
const NumberField = ({
  label,
  hint,
  value,
  max,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly max: number
  readonly onChange: (value: string) => void
}) => (
  <Field label={label} hint={hint}>
    {(attributes) => (
      <input
        {...attributes}
        class="input"
        type="number"
        min={0}
        max={max}
        step="any"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

import { useState } from 'preact/hooks'
import { useMutation } from '../lib/useMutation.ts'
import { useProject } from '../project.ts'
import { Checkbox, SelectInput, TextInput } from '../ui/inputs.tsx'
import { useVariables } from '../ui/sqlEditor/useVariables.ts'
import { Failed } from '../ui/states.tsx'
import { NamedTexts } from './namedTexts.tsx'
import { Preview } from './preview.tsx'
import { createShare, inputOf, newDraft, type NewShare, type Shared, type ShareDraft } from './shareApi.ts'

const EXPIRIES = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const
const RANGES = [
  ['', 'As in the tiles'],
  ['-7d', 'Last 7 days'],
  ['-30d', 'Last 30 days'],
  ['-90d', 'Last 90 days'],
] as const
const LIMITS = [
  ['', 'No'],
  ['-30d', 'Within the last 30 days'],
  ['-90d', 'Within the last 90 days'],
  ['-365d', 'Within the last year'],
] as const

interface FieldsProps {
  readonly draft: ShareDraft
  readonly onChange: (changes: Partial<ShareDraft>) => void
}

const TileChoices = ({
  tiles,
  draft,
  onChange,
}: FieldsProps & { readonly tiles: readonly { readonly id: string; readonly title: string }[] }) => (
  <fieldset class="box">
    <legend class="field-label">Tiles</legend>
    {tiles.map(({ id, title }) => (
      <Checkbox
        key={id}
        label={title || 'Untitled'}
        value={draft.tiles.includes(id)}
        onChange={(isChosen) =>
          onChange({ tiles: isChosen ? [...draft.tiles, id] : draft.tiles.filter((each) => each !== id) })
        }
      />
    ))}
  </fieldset>
)

const Variables = ({ draft, onChange }: FieldsProps) => (
  <>
    <NamedTexts
      label="Pinned variables"
      hint="Readers cannot change them. Every shared tile must use each of them: in its SQL, or as a breakdown."
      valueLabel="Value"
      addLabel="Pin a variable"
      list={draft.pins}
      onChange={(pins) => onChange({ pins })}
    />
    <NamedTexts
      label="Values that readers choose"
      hint="Readers see these values, and can choose no others."
      valueLabel="Values, separated by commas"
      addLabel="Add a choice"
      list={draft.choices}
      onChange={(choices) => onChange({ choices })}
    />
  </>
)

const Dates = ({ draft, onChange }: FieldsProps) => (
  <div class="row">
    <SelectInput label="Dates" value={draft.from} options={RANGES} onChange={(from) => onChange({ from })} />
    {draft.from && (
      <SelectInput label="Other dates" value={draft.min} options={LIMITS} onChange={(min) => onChange({ min })} />
    )}
  </div>
)

const Settings = ({ draft, onChange }: FieldsProps) => (
  <>
    <TextInput
      label="Embed in pages of"
      hint="Origins such as https://app.example.com, separated by spaces. Empty: in no page."
      isCode
      value={draft.origins}
      onChange={(origins) => onChange({ origins })}
    />
    <TextInput
      label="Password"
      hint="At least 8 characters. Empty: none."
      value={draft.password}
      onChange={(password) => onChange({ password })}
    />
    <TextInput
      label="Note"
      hint="For this list. Readers do not see it."
      value={draft.note}
      onChange={(note) => onChange({ note })}
    />
    <div class="row">
      <SelectInput label="Expires" value={draft.days} options={EXPIRIES} onChange={(days) => onChange({ days })} />
      <Checkbox
        label="Show later changes"
        about="Otherwise readers see what it is now."
        value={draft.isLatest}
        onChange={(isLatest) => onChange({ isLatest })}
      />
    </div>
  </>
)

/** Creates a share, with a preview of what readers see. */
export const NewShareForm = ({
  shared,
  onCreated,
  onCancel,
}: {
  readonly shared: Shared
  readonly onCreated: (share: NewShare) => void
  readonly onCancel: () => void
}) => {
  const { id } = useProject()
  const variables = useVariables()
  const [draft, setDraft] = useState(newDraft(shared))
  const [preview, setPreview] = useState<ReturnType<typeof inputOf>>()
  const { run, isRunning, error } = useMutation(() => createShare(id, shared, draft, variables.data ?? []))
  const change = (changes: Partial<ShareDraft>) => {
    setPreview(undefined)
    setDraft({ ...draft, ...changes })
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const share = await run()
    if (share) onCreated(share)
  }
  const fields = { draft, onChange: change }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Title for readers"
        placeholder={shared.name}
        value={draft.title}
        onChange={(title) => change({ title })}
      />
      {'tiles' in shared && <TileChoices tiles={shared.tiles} {...fields} />}
      <Variables {...fields} />
      <Dates {...fields} />
      <Settings {...fields} />
      {error && <Failed error={error} />}
      {preview && <Preview input={preview} />}
      <div class="row">
        <button type="submit" class="button primary" disabled={isRunning}>
          Create link
        </button>
        <button type="button" class="button" onClick={() => setPreview(inputOf(shared, draft, variables.data ?? []))}>
          Preview
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

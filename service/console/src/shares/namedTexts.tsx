import { withItem } from '../lib/withItem.ts'
import { Icon } from '../ui/icon.tsx'
import { TextInput } from '../ui/inputs.tsx'
import type { NamedText } from './shareApi.ts'

/** A list of variables with their values. */
export const NamedTexts = ({
  label,
  hint,
  valueLabel,
  addLabel,
  list,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly valueLabel: string
  readonly addLabel: string
  readonly list: readonly NamedText[]
  readonly onChange: (list: readonly NamedText[]) => void
}) => (
  <fieldset class="box">
    <legend class="field-label">{label}</legend>
    <p class="field-hint">{hint}</p>
    {list.map((each, index) => (
      <div key={index} class="row">
        <TextInput
          label="Variable"
          isCode
          value={each.name}
          onChange={(name) => onChange(withItem(list, index, { ...each, name }))}
        />
        <TextInput
          label={valueLabel}
          value={each.text}
          onChange={(text) => onChange(withItem(list, index, { ...each, text }))}
        />
        <button
          type="button"
          class="button icon"
          aria-label={`Remove ${each.name || 'this variable'}`}
          onClick={() => onChange(withItem(list, index, undefined))}
        >
          <Icon name="trash" size={16} />
        </button>
      </div>
    ))}
    <div class="row">
      <button type="button" class="button" onClick={() => onChange([...list, { name: '', text: '' }])}>
        <Icon name="plus" size={16} /> {addLabel}
      </button>
    </div>
  </fieldset>
)

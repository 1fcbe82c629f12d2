import { eventName } from '../../lib/eventNames.ts'
import { useEventNames } from '../../ui/eventSelect.tsx'
import { Select } from '../../ui/field.tsx'

/** A select for the conversion goal, an event. `''`: no goal. */
export const GoalSelect = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (event: string) => void
}) => {
  const names = useEventNames()
  const events = value === '' || names.includes(value) ? names : [value, ...names]
  return (
    <Select
      label="Conversion goal"
      value={value}
      options={[
        { value: '', label: 'No goal' },
        ...events.map((name) => ({ value: name, label: `Goal: ${eventName(name)}` })),
      ]}
      onChange={onChange}
    />
  )
}

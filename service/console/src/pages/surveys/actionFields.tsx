import { Icon } from '../../ui/icon.tsx'
import { RemoveButton } from './eventFields.tsx'
import { SelectInput, TextInput } from '../../ui/inputs.tsx'
import type { Conditions } from './surveyApi.ts'
import styles from './surveys.module.css'

type Action = NonNullable<Conditions['actions']>['values'][number]
type Step = NonNullable<Action['steps']>[number]

const URL_MATCHES: readonly (readonly [string, string])[] = [
  ['contains', 'contains'],
  ['exact', 'is'],
  ['regex', 'matches the regular expression'],
]

/** Actions: an event on pages with a URL, or on elements of the page. Each of their steps shows the survey. */
export const ActionFields = ({
  actions,
  errorOf,
  onChange,
}: {
  readonly actions: readonly Action[]
  readonly errorOf: (path: string) => string | undefined
  readonly onChange: (actions: Action[]) => void
}) => (
  <fieldset class={styles.events}>
    <legend class="field-label">After an action</legend>
    {actions.map((action, index) => {
      const { steps = [] } = action
      const change = (changes: Partial<Action>) => onChange(actions.with(index, { ...action, ...changes }))
      return (
        <div key={action.id} class={styles.event}>
          <div class={styles.removable}>
            <TextInput
              label="Name of the action"
              error={errorOf(`conditions.actions.values.${index}.name`)}
              value={action.name}
              onChange={(name) => change({ name })}
            />
            <RemoveButton label="Remove the action" onClick={() => onChange(actions.toSpliced(index, 1))} />
          </div>
          {steps.map((step, place) => (
            <StepFields
              key={place}
              step={step}
              errorOf={(field) => errorOf(`conditions.actions.values.${index}.steps.${place}.${field}`)}
              onChange={(changes) => change({ steps: steps.with(place, { ...step, ...changes }) })}
              onRemove={() => change({ steps: steps.toSpliced(place, 1) })}
            />
          ))}
          <div class="row">
            <button type="button" class="button" onClick={() => change({ steps: [...steps, {}] })}>
              <Icon name="plus" size={16} /> Or after
            </button>
          </div>
        </div>
      )
    })}
    <div class="row">
      <button
        type="button"
        class="button"
        onClick={() => onChange([...actions, { id: crypto.randomUUID(), name: '', steps: [{}] }])}
      >
        <Icon name="plus" size={16} /> Add an action
      </button>
    </div>
  </fieldset>
)

const StepFields = ({
  step,
  errorOf,
  onChange,
  onRemove,
}: {
  readonly step: Step
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (changes: Partial<Step>) => void
  readonly onRemove: () => void
}) => (
  <div class={styles.removable}>
    <div class={styles.branches}>
      <TextInput
        label="Event"
        placeholder="$autocapture"
        error={errorOf('event')}
        value={step.event}
        onChange={(event) => onChange({ event })}
      />
      <SelectInput
        label="The URL"
        value={step.url_matching ?? 'contains'}
        options={URL_MATCHES}
        onChange={(url_matching) => onChange({ url_matching })}
      />
      <TextInput
        label="URL, or a part of it"
        error={errorOf('url')}
        value={step.url}
        onChange={(url) => onChange({ url })}
      />
      <TextInput
        label="Pattern of the elements"
        hint="A regular expression on $elements_chain."
        error={errorOf('selector_regex')}
        value={step.selector_regex}
        onChange={(selector_regex) => onChange({ selector_regex })}
      />
    </div>
    <RemoveButton label="Remove the step" onClick={onRemove} />
  </div>
)

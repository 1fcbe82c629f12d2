import { EventSelect, useEventNames } from '../../ui/eventSelect.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MAX_STEPS } from '../../insights/funnel/funnelQuery.ts'
import styles from './insights.module.css'

const swap = (steps: readonly string[], index: number): readonly string[] =>
  steps.map((step, at) => (at === index - 1 ? steps[index]! : at === index ? steps[index - 1]! : step))

/** The steps of a funnel: each can be changed, moved up or removed. */
export const FunnelSteps = ({
  steps,
  onChange,
}: {
  readonly steps: readonly string[]
  readonly onChange: (steps: readonly string[]) => void
}) => {
  const names = useEventNames()
  return (
    <ol class="stack" style={{ gap: '0.5rem' }}>
      {steps.map((event, index) => (
        <li key={index} class="row">
          <span class={styles.letter} aria-hidden="true">
            {index + 1}
          </span>
          <EventSelect
            label={`Step ${index + 1}`}
            value={event}
            onChange={(changed) => onChange(steps.map((step, at) => (at === index ? changed : step)))}
          />
          {index > 0 && (
            <button
              type="button"
              class="button plain icon"
              aria-label={`Move step ${index + 1} up`}
              onClick={() => onChange(swap(steps, index))}
            >
              <span aria-hidden="true">↑</span>
            </button>
          )}
          <button
            type="button"
            class="button plain icon"
            aria-label={`Remove step ${index + 1}`}
            onClick={() => onChange(steps.filter((_, at) => at !== index))}
          >
            <Icon name="close" size={14} />
          </button>
        </li>
      ))}
      {steps.length < MAX_STEPS && (
        <li>
          <button
            type="button"
            class="button plain"
            onClick={() => onChange([...steps, names.find((name) => !steps.includes(name)) ?? '$pageview'])}
          >
            <Icon name="plus" size={16} /> Add step
          </button>
        </li>
      )}
    </ol>
  )
}

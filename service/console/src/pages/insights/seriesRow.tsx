import { Select } from '../../ui/field.tsx'
import { EventSelect } from '../../ui/eventSelect.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PropertySelect } from '../../ui/propertySelect.tsx'
import styles from './insights.module.css'
import { MATHS, needsProperty, type TrendSeries } from '../../insights/trends/trendsQuery.ts'

/** A series of a trend: what is counted, of which events. */
export const SeriesRow = ({
  letter,
  series,
  onChange,
  onRemove,
}: {
  /** Name of the series in formulas. */
  readonly letter: string
  readonly series: TrendSeries
  readonly onChange: (series: TrendSeries) => void
  /** Absent: the only series. */
  readonly onRemove: (() => void) | undefined
}) => (
  <div class="row" role="group" aria-label={`Series ${letter}`}>
    <span class={styles.letter} aria-hidden="true">
      {letter}
    </span>
    <Select
      label={`Count of series ${letter}`}
      value={series.math}
      options={MATHS}
      onChange={(math) => onChange({ ...series, math, property: needsProperty(math) ? series.property : '' })}
    />
    {needsProperty(series.math) && (
      <PropertySelect
        label={`Property of series ${letter}`}
        none="Choose a property"
        value={series.property}
        isNumber
        onChange={(property) => onChange({ ...series, property })}
      />
    )}
    <span class="muted">of</span>
    <EventSelect
      label={`Event of series ${letter}`}
      value={series.event}
      onChange={(event) => onChange({ ...series, event })}
    />
    {onRemove && (
      <button type="button" class="button plain icon" aria-label={`Remove series ${letter}`} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    )}
  </div>
)

import { filtersOf } from '../../lib/filters.ts'
import { search, setSearch } from '../../router.ts'
import { Field, Segments, Select } from '../../ui/field.tsx'
import { FilterBar } from '../../ui/filterBar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useCommitted } from '../../ui/inputs.tsx'
import { PropertySelect } from '../../ui/propertySelect.tsx'
import styles from './insights.module.css'
import { SeriesRow } from './seriesRow.tsx'
import {
  COMPARISONS,
  DISPLAYS,
  formatSeries,
  INTERVALS,
  MAX_SERIES,
  trendsOf,
  type TrendSeries,
} from '../../insights/trends/trendsQuery.ts'

const LETTERS = 'ABCDE'
const INTERVAL_OPTIONS = INTERVALS.map((value) => ({ value, label: `By ${value}` }))

const showSeries = (series: readonly TrendSeries[]) => setSearch({ s: series.map(formatSeries) })

/** The settings of a trend, kept in the URL. */
export const TrendsSettings = () => {
  const { series, display, compare, interval, formula, breakdown } = trendsOf(search.value)
  const committed = useCommitted(formula, (text) => setSearch({ formula: text.trim() || undefined }))
  const isTotal = display === 'number' || display === 'table'
  return (
    <div class={styles.settings}>
      {series.map((each, index) => (
        <SeriesRow
          key={index}
          letter={LETTERS[index]!}
          series={each}
          onChange={(changed) => showSeries(series.map((old, at) => (at === index ? changed : old)))}
          onRemove={series.length > 1 ? () => showSeries(series.filter((_, at) => at !== index)) : undefined}
        />
      ))}
      {series.length < MAX_SERIES && (
        <div class="row">
          <button type="button" class="button plain" onClick={() => showSeries([...series, { ...series.at(-1)! }])}>
            <Icon name="plus" size={16} /> Add series
          </button>
        </div>
      )}
      <FilterBar filters={filtersOf(search.value)} />
      <hr />
      <div class="row">
        <Segments
          label="Display"
          value={display}
          options={DISPLAYS}
          onChange={(value) => setSearch({ display: value === 'line' ? undefined : value })}
        />
        {!isTotal && (
          <Select
            label="Interval"
            value={interval}
            options={INTERVAL_OPTIONS}
            onChange={(value) => setSearch({ interval: value })}
          />
        )}
        <PropertySelect
          label="Breakdown"
          none="No breakdown"
          value={breakdown}
          onChange={(by) => setSearch({ by: by || undefined })}
        />
        <Select
          label="Comparison"
          value={compare}
          options={COMPARISONS}
          onChange={(value) => setSearch({ compare: value === 'none' ? undefined : value })}
        />
      </div>
      <details open={formula !== ''}>
        <summary>More</summary>
        <Field label="Formula" hint="Letters of the series, numbers, + - * / and parentheses, such as A / B * 100.">
          {(attributes) => <input {...attributes} class="input mono" {...committed} />}
        </Field>
      </details>
    </div>
  )
}

import { formatWhole } from '../../lib/format.ts'
import { Distribution } from './distribution.tsx'
import { formatVital, hasEnough, MIN_SAMPLES, type Vital, type VitalName, VITALS, type VitalValues } from './vitals.ts'
import styles from './vitals.module.css'

/** The four metrics with their p75, rating and distribution. A click on one shows its chart and its table. */
export const VitalTiles = ({
  metrics,
  current,
  onChoose,
}: {
  readonly metrics: Readonly<Record<string, VitalValues>>
  readonly current: VitalName
  readonly onChoose: (name: VitalName) => void
}) => (
  <div class="tiles">
    {VITALS.map((vital) => (
      <Tile
        key={vital.name}
        vital={vital}
        values={metrics[vital.name]}
        isCurrent={vital.name === current}
        onChoose={() => onChoose(vital.name)}
      />
    ))}
  </div>
)

const TONES = { good: 'good', 'needs improvement': 'warning', poor: 'bad' } as const

const Tile = ({
  vital: { name, title, about, thresholds },
  values,
  isCurrent,
  onChoose,
}: {
  readonly vital: Vital
  readonly values: VitalValues | undefined
  readonly isCurrent: boolean
  readonly onChoose: () => void
}) => {
  const [good, poor] = thresholds.map((value) => formatVital(name, value))
  return (
    <button type="button" class="tile" aria-pressed={isCurrent} onClick={onChoose} title={`${title}. ${about}.`}>
      <span class="tile-label">
        {name} <span class="visually-hidden">{title}</span>
      </span>
      {hasEnough(values) ? (
        <>
          <span class="tile-value">{formatVital(name, values!.p75!)}</span>
          <span class={`small ${styles[TONES[values!.rating!]]}`}>{values!.rating}</span>
          <Distribution values={values!} />
        </>
      ) : (
        <>
          <span class="tile-value muted">–</span>
          <span class="small muted">
            {formatWhole(values?.count ?? 0)} of {MIN_SAMPLES} values
          </span>
        </>
      )}
      <span class="small muted">
        good up to {good}, poor above {poor}
      </span>
    </button>
  )
}

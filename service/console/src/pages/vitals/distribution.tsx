import { formatShare, formatWhole } from '../../lib/format.ts'
import { type VitalValues } from './vitals.ts'
import styles from './vitals.module.css'

const PARTS = [
  { key: 'good', label: 'good', style: styles.good },
  { key: 'needs_improvement', label: 'needs improvement', style: styles.middle },
  { key: 'poor', label: 'poor', style: styles.poor },
] as const

/** The shares of values that are good, need improvement and are poor, as a bar and in words. */
export const Distribution = ({ values }: { readonly values: VitalValues }) => {
  const text = PARTS.map(({ key, label }) => `${formatShare(values[key] / values.count)} ${label}`).join(', ')
  return (
    <span class={styles.distribution} role="img" aria-label={text} title={`${text}, of ${formatWhole(values.count)}`}>
      {PARTS.map(({ key, style }) => (
        <span key={key} class={style} style={{ width: `${(values[key] / values.count) * 100}%` }} />
      ))}
    </span>
  )
}

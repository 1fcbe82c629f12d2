import { Icon } from '../../ui/icon.tsx'
import styles from './flagsPage.module.css'
import { operatorLabel } from '../../ui/flagConditions/operators.ts'
import type { FlagTest } from './flagTest.ts'

type Condition = FlagTest['conditions'][number]

const show = (value: unknown): string =>
  Array.isArray(value) ? value.map(show).join(' or ') : typeof value === 'string' ? value : JSON.stringify(value)

const valueText = (value: boolean | string): string => (value === true ? 'on' : value === false ? 'off' : value)

/** The value of a flag for a person, and each condition with the reason why it matched or not. */
export const TestResult = ({ test }: { readonly test: FlagTest }) => (
  <>
    <p>
      <span class={styles.value}>{valueText(test.value)}</span>
      <br />
      {test.reason.description}
    </p>
    {test.payload !== null && (
      <pre class="code wrap" tabIndex={0} aria-label="Payload">
        {test.payload}
      </pre>
    )}
    <PersonNote person={test.person} />
    {test.enrollment && (
      <p class="notice">
        <span>
          <strong>Early access: {test.enrollment.name}</strong> ({test.enrollment.stage})
        </span>
        {test.enrollment.why}
      </p>
    )}
    <ol class="stack" style={{ gap: '0.5rem' }}>
      {test.conditions.map((condition) => (
        <li key={condition.index}>
          <Trace condition={condition} />
        </li>
      ))}
    </ol>
  </>
)

const PersonNote = ({ person }: { readonly person: FlagTest['person'] }) => {
  if (person?.is_identified) return null
  return (
    <p class="small muted">
      {person
        ? 'This person is stored, but was never identified.'
        : 'No person with this distinct id is stored, so only the properties given here are known.'}
    </p>
  )
}

const Trace = ({ condition }: { readonly condition: Condition }) => (
  <div class={condition.matched ? `${styles.trace} ${styles.matched}` : styles.trace}>
    <div class="row between">
      <strong>{condition.is_enrollment ? 'Early access' : `Condition ${condition.index + 1}`}</strong>
      <span class="row">
        {condition.decides && <span class="badge good">Decides</span>}
        <span class={condition.matched ? 'badge good' : 'badge'}>
          {condition.matched ? 'Matches' : 'Does not match'}
        </span>
      </span>
    </div>
    <p>{condition.why}</p>
    {condition.properties.length > 0 && (
      <ul class="stack small" style={{ gap: '0.3rem' }}>
        {condition.properties.map((property, index) => (
          <li key={index}>
            <span class={property.matched ? styles.met : styles.unmet}>
              <Icon name={property.matched ? 'check' : 'close'} size={14} />
              <span class="visually-hidden">{property.matched ? 'Met: ' : 'Not met: '}</span>
            </span>
            <span>
              <code>{property.key}</code> {operatorLabel(property.operator)}{' '}
              {property.wanted !== null && <code>{show(property.wanted)}</code>}
              <br />
              <span class="muted">{property.why}</span>
            </span>
          </li>
        ))}
      </ul>
    )}
  </div>
)

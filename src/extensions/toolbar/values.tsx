import { h } from 'preact'
import type { Properties } from '../../types'

/** Formats a value for display: as JSON, or as a string if JSON cannot represent it. */
export const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'function') return 'function'
  return JSON.stringify(value, (_, each: unknown) => (each instanceof RegExp ? String(each) : each), 1) ?? 'undefined'
}

/** Names and values, in order of the names. */
export const Values = ({ values }: { values: Properties }) => (
  <dl class="values">
    {Object.keys(values)
      .sort()
      .map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{valueText(values[name])}</dd>
        </div>
      ))}
  </dl>
)

import type { Days } from '../load/days'
import { element } from './dom'
import type { Words } from './words'

/** Two inputs for the first and the last day. */
export interface DayInputs {
  readonly root: HTMLElement
  /** Shows days, and which ones can be chosen. `undefined`: hides the inputs. */
  show(days: Days | undefined, words: Words): void
}

/** Creates the inputs. `onChange` gets the chosen days once both are complete. */
export const createDayInputs = (onChange: (days: Days) => void): DayInputs => {
  let shown: Days | undefined
  const change = () => {
    if (shown && from.value && to.value) onChange({ ...shown, from: from.value, to: to.value })
  }
  const input = () => element('input', { type: 'date', required: true, change })
  const [from, to] = [input(), input()]
  const labels = [document.createTextNode(''), document.createTextNode('')] as const
  const root = element(
    'div',
    { class: 'days', part: 'days', hidden: true },
    element('label', {}, labels[0], from),
    element('label', {}, labels[1], to),
  )
  return {
    root,
    show(days, words) {
      shown = days
      root.hidden = !days
      if (!days) return
      labels[0].data = words.from
      labels[1].data = words.to
      for (const each of [from, to]) Object.assign(each, { min: days.min, max: days.max })
      from.value = days.from
      to.value = days.to
    },
  }
}

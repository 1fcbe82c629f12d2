import type { Stop, Survey } from '../../types'
import { openContainer } from './container'

/** Adds the tab or button of a widget. `open` receives the button. Returns a function that removes it. */
export const addWidget = (survey: Survey, open: (trigger: Element) => void): Stop => {
  const { widgetLabel, widgetType, tabPosition = 'right' } = survey.appearance ?? {}
  const { root, release } = openContainer(survey, undefined)
  const button = document.createElement('button')
  button.type = 'button'
  button.className = `ph-survey-widget-tab widget-tab-${widgetType === 'button' ? 'button' : tabPosition}`
  button.textContent = widgetLabel || 'Feedback'
  button.addEventListener('click', () => open(button))
  root.append(button)
  let isRemoved = false
  return () => {
    if (isRemoved) return
    isRemoved = true
    button.remove()
    release()
  }
}

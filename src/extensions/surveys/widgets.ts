import type { SurveyParts } from '../../host'
import type { Stop, Survey } from '../../types'
import type { ExtensionHost } from '../contract'
import type { Display } from './display'
import { type Facts, failedCondition } from './eligibility'

// Marks elements that open a survey, for pages that look for it.
const MARK = 'PHWidgetSurveyClickListener'
// How often the page is searched for elements of selectors, ms.
const LOOK_MS = 1000

/** Opens surveys of the type widget: from a tab or button, or from the page's own elements. */
export const createWidgets = (
  { later, listen, log }: ExtensionHost & SurveyParts,
  facts: Facts,
  display: Display,
  surveys: () => readonly Survey[],
) => {
  /** Removes each widget. */
  const widgets = new Map<string, Stop>()
  /** The elements that open each survey. */
  const elements = new Map<string, Map<Element, Stop>>()
  let looking: ReturnType<typeof setTimeout> | undefined

  const toggle = (survey: Survey, trigger?: Element, position?: string) => {
    if (display.isOpen(survey.id)) display.dismiss(survey.id)
    else
      void display.show(survey, {
        trigger,
        position,
        isRequested: true,
        onGone: () => {
          if (trigger instanceof HTMLElement) trigger.focus({ preventScroll: true })
          update()
        },
      })
  }
  /** Opens the survey on clicks of an element. */
  const connectElement = (survey: Survey, element: Element): Stop => {
    element.setAttribute(MARK, 'true')
    const onClick = (event: Event) => {
      event.stopPropagation()
      toggle(survey, element)
    }
    const stop = listen(element, ['click'], onClick, {})
    return () => {
      stop()
      element.removeAttribute(MARK)
    }
  }
  /** Connects the page's elements that match the selector of a survey, again if the page has replaced them. */
  const connectElements = (survey: Survey): Stop => {
    const connected = elements.get(survey.id) ?? new Map<Element, Stop>()
    elements.set(survey.id, connected)
    const selector = survey.appearance!.widgetSelector!
    for (const [element, stop] of connected)
      if (!element.isConnected) {
        stop()
        connected.delete(element)
      }
    for (const element of document.querySelectorAll(selector))
      if (!connected.has(element)) connected.set(element, connectElement(survey, element))
    return () => {
      connected.forEach((stop) => stop())
      connected.clear()
    }
  }
  const addControl = (survey: Survey): Stop => {
    let isRemoved = false
    let remove: Stop | undefined
    display
      .loadView()
      .then((view) => {
        if (!isRemoved) remove = view?.addWidget(survey, (trigger) => toggle(survey, trigger))
      })
      .catch((error: unknown) => log.error('widget failed', error))
    return () => {
      isRemoved = true
      remove?.()
    }
  }
  const removeWidget = (id: string) => {
    widgets.get(id)?.()
    widgets.delete(id)
  }

  const update = (): void => {
    const all = surveys().filter(({ type }) => type === 'widget')
    const isSelector = ({ appearance }: Survey) => appearance?.widgetType === 'selector' && appearance.widgetSelector
    for (const survey of all) {
      const { id } = survey
      if (display.isOpen(id)) continue
      if (failedCondition(survey, facts)) removeWidget(id)
      else if (isSelector(survey)) {
        try {
          widgets.set(id, connectElements(survey))
        } catch {
          if (!widgets.has(id)) log.warn(`Survey ${id} has an invalid selector: ${survey.appearance!.widgetSelector}`)
          widgets.set(id, () => {})
        }
      } else if (!widgets.has(id)) widgets.set(id, addControl(survey))
    }
    const known = new Set(all.map(({ id }) => id))
    ;[...widgets.keys()].filter((id) => !known.has(id)).forEach(removeWidget)
    clearTimeout(looking)
    if (!document.hidden && all.some((survey) => isSelector(survey) || survey.conditions?.selector))
      looking = later(update, LOOK_MS)
  }

  return {
    update,
    /** Opens the survey of a widget for code of the page. */
    open: (id: string, position?: string): void => {
      const survey = surveys().find((each) => each.id === id && each.type === 'widget')
      if (survey && !display.isOpen(id)) toggle(survey, undefined, position)
    },
    stop: (): void => {
      clearTimeout(looking)
      ;[...widgets.keys()].forEach(removeWidget)
    },
  }
}

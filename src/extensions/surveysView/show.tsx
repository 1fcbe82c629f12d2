import { h, render } from 'preact'
import type { ShownSurvey, ShowSurvey, SurveyViewParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { Box, type BoxProps, HEADING } from './box'
import { openContainer } from './container'
import { placeBox } from './place'
import { createRun } from './run'

// How long the thank-you message stays with `autoDisappear`, ms.
const THANKS_MS = 5000
// Screen readers announce a change of the status, not its first content.
const ANNOUNCE_MS = 100

/** Creates the element of a survey: in the site's element, or in its own shadow root. */
const openBox = ({ container, survey, progress }: ShowSurvey) => {
  const box = document.createElement('div')
  box.className = 'ph-survey'
  if (container) {
    container.textContent = ''
    container.append(box)
    return { box, removeBox: () => box.remove() }
  }
  const { root, release } = openContainer(survey, progress.surveyLanguage)
  box.setAttribute('role', 'dialog')
  box.setAttribute('aria-labelledby', HEADING)
  root.append(box)
  return {
    box,
    removeBox: () => {
      box.remove()
      release()
    },
  }
}

/** Shows a survey, and leads the visitor through it. */
export const showSurvey = (parts: ExtensionHost & SurveyViewParts, options: ShowSurvey): ShownSurvey => {
  const { later } = parts
  const { survey, container, trigger, reports, isRequested } = options
  const appearance = survey.appearance ?? {}
  const { box, removeBox } = openBox(options)
  const run = createRun(options)
  const stops: Stop[] = []
  const timers: ReturnType<typeof setTimeout>[] = []
  let announcement = ''
  let isClosing = false
  let isRemoved = false

  const hasFocus = () => box.contains((box.getRootNode() as Document | ShadowRoot).activeElement)
  /** Moves the focus to the text field, or else to the heading. */
  const focusInside = () => {
    const element = box.querySelector('textarea') ?? box.querySelector(`.thank-you-message, #${HEADING}`)
    ;(element as HTMLElement | null)?.focus({ preventScroll: true })
  }
  /** The element of the page that has the focus by keyboard. */
  let focused: Element | undefined
  const place = () => {
    const isTab = survey.type === 'widget' && appearance.widgetType === 'tab'
    placeBox(box, options.position ?? appearance.position ?? 'right', trigger, isTab, focused)
  }
  const remove = () => {
    if (isRemoved) return
    isRemoved = true
    timers.forEach(clearTimeout)
    stops.forEach((stop) => stop())
    render(null, box)
    removeBox()
    reports.gone()
  }
  /** Closes the survey. Before its end, that dismisses it. */
  const close = () => {
    if (isClosing || isRemoved) return
    isClosing = true
    if (!/thanks|end/.test(run.screen())) reports.dismissed(run.progress())
    remove()
  }
  const draw = () => {
    if (!isRemoved)
      render(
        <Box
          run={run}
          isInline={!!container}
          announcement={announcement}
          loadSanitizer={parts.loadSanitizer}
          actions={actions}
        />,
        box,
      )
  }
  /** Renders the next screen and keeps the focus in the survey if it was there. */
  const move = (step: () => void) => {
    const wasFocused = hasFocus()
    const before = [run.screen(), run.index()].join()
    step()
    if (run.screen() === 'end') return close()
    draw()
    if (before === [run.screen(), run.index()].join()) return
    if (wasFocused) focusInside()
    if (run.screen() === 'thanks' && appearance.autoDisappear) disappear()
  }
  /** Closes the thank-you message after a while in which the visitor neither points at it nor has the focus in it. */
  const disappear = () => {
    timers.push(
      later(() => {
        if (box.matches(':hover') || (hasFocus() && isPointed)) disappear()
        else close()
      }, THANKS_MS),
    )
  }
  // Focus moved by the Submit button does not count as attention.
  let isPointed = false
  const actions: BoxProps['actions'] = {
    change: (draft) => {
      run.change({ ...run.draft(), ...draft })
      draw()
    },
    submit: () => move(run.next),
    back: () => move(run.back),
    begin: () => move(run.leaveIntro),
    close,
  }

  draw()
  if (run.screen() === 'end') {
    timers.push(later(close, 0))
  } else if (run.screen() === 'thanks' && appearance.autoDisappear) disappear()
  if (!container) {
    place()
    stops.push(
      parts.listen(window, ['resize'], place, { passive: true }),
      parts.listen(document, ['focusin'], ({ target }) => {
        if (hasFocus()) return
        focused = (target as Element).matches(':focus-visible') ? (target as Element) : undefined
        place()
      }),
      // Only with the focus inside: elsewhere, Escape is the page's.
      parts.listen(
        box,
        ['keydown'],
        (event) => {
          isPointed = true
          if ((event as KeyboardEvent).key !== 'Escape') return
          event.stopPropagation()
          close()
        },
        {},
      ),
    )
    if (window.visualViewport) stops.push(parts.listen(visualViewport!, ['resize'], place))
    timers.push(
      later(() => {
        announcement = run.question().question
        draw()
        if (isRequested && !appearance.disableAutofocus && !hasFocus()) focusInside()
      }, ANNOUNCE_MS),
    )
  }
  return {
    remove,
    dismiss: close,
    toggle: (isVisible) => {
      box.style.display = isVisible ? '' : 'none'
    },
  }
}

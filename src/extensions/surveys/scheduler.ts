import type { SurveyParts } from '../../host'
import type { Survey } from '../../types'
import type { ExtensionHost } from '../contract'
import type { Display, ShowOptions } from './display'
import { type Facts, isRepeatable, failedCondition } from './eligibility'
import type { Memory } from './memory'
import type { Triggers } from './triggers'

// How often the page is searched for elements of selectors, ms.
const LOOK_MS = 1000

/** Shows popovers automatically: one at a time, after their delay, in the protocol's order. */
export const createScheduler = (
  { later }: ExtensionHost & SurveyParts,
  facts: Facts,
  triggers: Triggers,
  memory: Memory,
  display: Display,
  surveys: () => readonly Survey[],
) => {
  type Timer = ReturnType<typeof setTimeout>
  const pending = new Map<string, Timer>()
  /** Surveys that this page view does not show again: repeatable ones that were shown, and those that could not be shown. */
  const done = new Set<string>()
  let looking: Timer | undefined

  const delayOf = ({ appearance }: Survey) => (appearance?.surveyPopupDelaySeconds ?? 0) * 1000
  const rankOf = (survey: Survey) =>
    memory.progress(survey) ? -2 : survey.schedule === 'always' ? delayOf(survey) : -1 / (1 + delayOf(survey))

  const cancel = (id: string) => {
    clearTimeout(pending.get(id))
    pending.delete(id)
  }
  const showNow = async (survey: Survey, options: ShowOptions) => {
    const isShown = await display.show(survey, options)
    if (isShown && survey.conditions?.events?.repeatedActivation) triggers.disarm(survey)
    return isShown
  }
  /** Shows a survey after a delay, during which it can be canceled. */
  const showLater = (survey: Survey, delayMs: number, options: ShowOptions) => {
    cancel(survey.id)
    const run = () => {
      pending.delete(survey.id)
      void showNow(survey, options)
    }
    if (delayMs > 0) pending.set(survey.id, later(run, delayMs))
    else run()
  }

  const startPopover = (survey: Survey) => {
    const since = triggers.armedAt(survey)
    const delay = delayOf(survey) - (since ? Date.now() - since : 0)
    const run = async () => {
      pending.delete(survey.id)
      // The page, the visitor or their flags may have changed during the delay.
      if (document.hidden || failedCondition(survey, facts)) return update()
      done.add(survey.id)
      const isShown = await showNow(survey, { onGone: update, followsUrl: true })
      // A survey that is seen once is left to its own state, so that it returns where it was interrupted.
      if (isShown && !isRepeatable(survey)) done.delete(survey.id)
      if (!isShown) update()
    }
    if (delay > 0)
      pending.set(
        survey.id,
        later(() => void run(), delay),
      )
    else void run()
  }

  const update = (): void => {
    const popovers = surveys().filter(({ type }) => type === 'popover')
    for (const survey of popovers) if (pending.has(survey.id) && failedCondition(survey, facts)) cancel(survey.id)
    if (!pending.size && !display.hasPopover()) {
      const [next] = popovers
        .filter(({ id }) => !done.has(id))
        .filter((survey) => !failedCondition(survey, facts))
        .sort((a, b) => rankOf(a) - rankOf(b))
      if (next) startPopover(next)
    }
    clearTimeout(looking)
    if (!document.hidden && popovers.some(({ conditions, id }) => conditions?.selector && !display.isOpen(id)))
      looking = later(update, LOOK_MS)
  }

  return {
    update,
    showLater,
    cancel,
    onArmed: (survey: Survey): void => {
      done.delete(survey.id)
      if (survey.type === 'popover') update()
    },
    /** A new page view: repeatable surveys may be shown again. */
    onNavigate: (): void => done.clear(),
    stop: (): void => {
      clearTimeout(looking)
      ;[...pending.keys()].forEach(cancel)
    },
  }
}

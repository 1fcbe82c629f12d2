import type { SurveyParts } from '../../host'
import type { CapturedEvent, Properties, Survey } from '../../types'
import type { ExtensionHost } from '../contract'
import { hasTrigger } from './eligibility'
import { matches, matchesEvent } from './match'

const IDS = '$surveys_activated'
const SESSION = '$surveys_activated_session'
const TIMES = '$surveys_activated_timestamps'

/** How a step of an action compares a string. Steps have their own names for the operators. */
const STEP_MATCHES: Record<string, 'icontains' | 'exact' | 'regex'> = {
  contains: 'icontains',
  exact: 'exact',
  regex: 'regex',
}

/** Whether an event is the step of an action: by name, URL and the selector's pattern, as far as the step has them. */
const isStep = ({ event: name, url, url_matching, selector, selector_regex }: Properties, event: CapturedEvent) =>
  (!name || name === event.event) &&
  (!url ||
    matches(STEP_MATCHES[url_matching as string] ?? 'icontains', [url], String(event.properties.$current_url))) &&
  (selector_regex
    ? matches('regex', [selector_regex], (event.properties.$elements_chain as string | undefined) ?? '')
    : !selector) &&
  !!(name || url || selector_regex)

export interface Triggers {
  isArmed(survey: Survey): boolean
  /** When the survey was armed, ms since the epoch. */
  armedAt(survey: Survey): number | undefined
  onCapture(event: CapturedEvent): void
  disarm(survey: Survey): void
  /** Handles the start of a session: disarms surveys that were armed in the previous one. */
  onSession(id: string): void
  /** Disarms all surveys. `isStored`: also in the store, which another person may have. */
  forget(isStored: boolean): void
}

/**
 * Tracks which surveys an event or action has armed. A survey with a delay stays armed on the next pages of the session, so
 * that the delay continues there. `surveys`: those that have loaded.
 */
export const createTriggers = (
  { store, session }: ExtensionHost & SurveyParts,
  surveys: () => readonly Survey[],
  onArmed: (survey: Survey) => void,
  onCancelled: (survey: Survey) => void,
): Triggers => {
  const armed = new Map<string, number>()
  /** The session in which they were armed. */
  let armedIn = session.current()
  if (armedIn && store.get(SESSION) === armedIn)
    Object.entries(store.get<Record<string, number>>(TIMES) ?? {}).forEach(([id, at]) => armed.set(id, at))

  const save = () => {
    const isDelayed = (id: string) =>
      surveys().some((survey) => survey.id === id && survey.appearance?.surveyPopupDelaySeconds)
    const lasting = [...armed].filter(([id]) => isDelayed(id))
    store.set({
      [IDS]: armed.size ? [...armed.keys()] : undefined,
      [SESSION]: lasting.length ? armedIn : undefined,
      [TIMES]: lasting.length ? Object.fromEntries(lasting) : undefined,
    })
  }
  const disarm = ({ id }: Survey) => {
    if (armed.delete(id)) save()
  }

  const forget = (isStored: boolean) => {
    armed.clear()
    if (isStored) save()
  }

  return {
    isArmed: ({ id }) => armed.has(id),
    armedAt: ({ id }) => armed.get(id),
    onCapture: (event) => {
      for (const survey of surveys()) {
        const { events, actions, cancelEvents } = survey.conditions ?? {}
        if (cancelEvents?.values?.some((each) => matchesEvent(each, event))) {
          disarm(survey)
          onCancelled(survey)
        }
        if (
          hasTrigger(survey) &&
          (events?.values?.some((each) => matchesEvent(each, event)) ||
            actions?.values?.some(({ steps }) => steps?.some((step) => isStep(step, event))))
        ) {
          armed.set(survey.id, Date.now())
          armedIn = session.current()
          save()
          onArmed(survey)
        }
      }
    },
    disarm,
    onSession: (id) => {
      if (armed.size && id !== armedIn) forget(true)
    },
    forget,
  }
}

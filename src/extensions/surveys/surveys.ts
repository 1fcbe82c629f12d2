import type { SurveyMethods, SurveyParts } from '../../host'
import type { DisplaySurveyOptions, PrivateSurveys, Survey } from '../../types'
import type { Extension } from '../contract'
import { createDefinitions } from './definitions'
import { createDisplay, type Display } from './display'
import { type Facts, type FailedCondition, failedCondition, PLACE, TRIGGER } from './eligibility'
import { createMemory } from './memory'
import { createOwner } from './owner'
import { amendEvent } from './reports'
import { createScheduler } from './scheduler'
import { createTriggers } from './triggers'
import { createWidgets } from './widgets'

/** Returns the element that a selector matches; undefined for none, and for an invalid selector. */
const elementAt = (selector: string | undefined): Element | undefined => {
  try {
    return (selector && document.querySelector(selector)) || undefined
  } catch {
    return undefined
  }
}

/** Returns the private members of posthog-js that pages use. */
const privateMembers = ({ show }: Display): PrivateSurveys => ({
  _surveyManager: { renderSurvey: (survey, container, properties) => void show(survey, { container, properties }) },
})

export const start: Extension<SurveyParts>['start'] = (host) => {
  const { config, log, api, storageOf, mayStore } = host
  const storage = () => (mayStore() && config.persistence !== 'memory' ? storageOf('localStorage') : undefined)
  const memory = createMemory(storage)
  const owner = createOwner(host, storage, () => memory.forget(storage() ? Object.keys(localStorage) : []))
  owner.follow()
  const definitions = createDefinitions(host)
  const surveys = () => definitions.current() ?? []

  let hasFlags = false
  const facts: Facts = {
    now: Date.now,
    url: () => location.href,
    device: () => String(host.readDevice().$device_type),
    hasElement: (selector) => !!elementAt(selector),
    flag: (key) => api().getFeatureFlag?.(key, { send_event: !key.startsWith('survey-targeting-') }),
    hasFlags: () => hasFlags,
    isArmed: (survey) => triggers.isArmed(survey),
    memory,
  }
  const display = createDisplay(host, memory, facts)
  const triggers = createTriggers(
    host,
    surveys,
    (survey) => scheduler.onArmed(survey),
    (survey) => scheduler.cancel(survey.id),
  )
  const scheduler = createScheduler(host, facts, triggers, memory, display, surveys)
  const widgets = createWidgets(host, facts, display, surveys)

  /** Shows what may be shown now, and removes what may not. */
  const update = () => {
    display.refresh()
    if (document.hidden) return
    if (!config.disable_surveys_automatic_display) {
      scheduler.update()
      widgets.update()
    }
  }
  const find = (id: string, reload: boolean | undefined, run: (survey: Survey | undefined) => void) =>
    definitions.load((all) => run(all.find((each) => each.id === id)), reload)
  const reasonOf = (survey: Survey | undefined) => {
    const failed = survey ? failedCondition(survey, facts, PLACE) : 'running'
    return failed ? { visible: false, disabledReason: `condition not met: ${failed}` } : { visible: true }
  }
  /** The person who made the call that runs. It may have waited for this extension. */
  const caller = () => host.early()?.person ?? host.person()
  const displaySurvey = (id: string, options: DisplaySurveyOptions = {}) => {
    const person = caller()
    find(id, false, (survey) => {
      // It was to be shown to a previous person.
      if (person !== host.person()) return
      const exempt: FailedCondition[] = [...PLACE, TRIGGER]
      const isInline = options.displayType === 'inline'
      const container = isInline ? elementAt(options.selector) : undefined
      const failed = !survey
        ? 'running'
        : isInline && !container
          ? 'selector'
          : !options.ignoreConditions && failedCondition(survey, facts, exempt)
      if (!survey || failed) return log.info(`survey ${id} is not shown, condition not met: ${failed}`)
      const delay = options.ignoreDelay || container ? 0 : (survey.appearance?.surveyPopupDelaySeconds ?? 0)
      scheduler.showLater(survey, delay * 1000, { ...options, container })
    })
  }

  const methods: SurveyMethods = {
    getSurveys: definitions.load,
    getActiveMatchingSurveys: (callback, forceReload) =>
      definitions.load(
        (all, context) =>
          callback(
            all.filter((each) => !failedCondition(each, facts)),
            context,
          ),
        forceReload,
      ),
    onSurveysLoaded: definitions.onLoad,
    displaySurvey,
    renderSurvey: (id, selector) => displaySurvey(id, { displayType: 'inline', selector, ignoreConditions: true }),
    canRenderSurvey: (id) => reasonOf(surveys().find((each) => each.id === id)),
    canRenderSurveyAsync: (id, forceReload) =>
      new Promise((done) => find(id, forceReload, (survey) => done(reasonOf(survey)))),
    cancelPendingSurvey: (id) => {
      if (caller() === host.person()) scheduler.cancel(id)
    },
  }

  host.onAmend((event) => amendEvent(event, memory))
  definitions.onLoad(update)
  definitions.load(() => {})
  const stops = [
    host.link({
      api: { ...methods, surveys: privateMembers(display) },
      onCapture: (event) => {
        if (event.event === '$identify') owner.follow()
        triggers.onCapture(event)
      },
      onReset: () => {
        scheduler.stop()
        display.closeAll()
        triggers.forget(false)
        memory.forget([])
        owner.change()
      },
    }),
    () => host.onAmend(undefined),
    api().onFeatureFlags?.(() => {
      hasFlags = true
      update()
    }),
    host.onNavigate(() => {
      scheduler.onNavigate()
      update()
    }),
    host.onVisibilityChange(update),
    host.listen(window, ['storage'], (event) => memory.isKey((event as StorageEvent).key) && update()),
    host.onLeave((isNextPerson) => {
      if (!isNextPerson) display.onPageLeave()
    }),
    host.listen(window, ['languagechange'], display.onLanguageChange),
    host.session.onChange(triggers.onSession),
    // Pages dispatch these events to close and to open a survey.
    host.listen(window, ['PHSurveyClosed'], ({ detail }: Event & { detail?: { surveyId?: string } }) =>
      display.dismiss(detail?.surveyId ?? ''),
    ),
    host.listen(
      window,
      ['ph:show_survey_widget'],
      ({ detail }: Event & { detail?: { surveyId?: string; position?: string } }) =>
        widgets.open(detail?.surveyId ?? '', detail?.position),
    ),
    widgets.stop,
    scheduler.stop,
    display.closeAll,
    display.stop,
  ]
  return () => stops.forEach((stop) => stop?.())
}

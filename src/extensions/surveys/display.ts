import type { SanitizeHtml, ShownSurvey, SurveyHtmlParts, SurveyParts, SurveyProgress, SurveyView } from '../../host'
import type { DisplaySurveyOptions, Stop, Survey } from '../../types'
import type { ExtensionHost } from '../contract'
import { claim } from './claim'
import { type Facts, isOnUrl } from './eligibility'
import { translate } from './language'
import { type Memory, withIteration } from './memory'
import { prefillFrom } from './prefill'
import { createReporter, type Reporter } from './reports'

interface Open {
  survey: Survey
  isInline: boolean
  followsUrl: boolean
  /** Set while it is visible. */
  reporter?: Reporter
  shown?: ShownSurvey
  /** The language of its translation; undefined: the original texts. */
  language?: string
  /** Shows it again, in the visitor's language. */
  redraw?: Stop
  /** Lets another tab show the survey. */
  release?: Stop
}

export interface ShowOptions extends DisplaySurveyOptions {
  /** The element of an inline survey. */
  container?: Element
  /** The control that opened the survey. */
  trigger?: Element
  /** Whether the survey is hidden while the page's URL does not match. */
  followsUrl?: boolean
  /** Whether the visitor opened the survey. */
  isRequested?: boolean
  /** Called when nothing of the survey is visible anymore. */
  onGone?: Stop
}

export type Display = ReturnType<typeof createDisplay>

/** Shows each survey once at a time and in one tab only, and captures its events. */
export const createDisplay = (host: ExtensionHost & SurveyParts, memory: Memory, facts: Facts) => {
  const { config, store, storageOf, mayStore, startExtension, uuidv7, log } = host
  const open = new Map<string, Open>()
  let isStopped = false
  let loadingView: Promise<SurveyView | undefined> | undefined
  const stops: Stop[] = []

  const loadExtension = <T>(name: 'surveysView' | 'surveysHtml', parts: object = {}): Promise<T | undefined> =>
    new Promise((done) => {
      stops.push(startExtension(name, { ...parts, use: done }, () => done(undefined)))
    })
  const loadView = () =>
    (loadingView ??= loadExtension<SurveyView>('surveysView', {
      listen: host.listen,
      loadSanitizer: (allowed: SurveyHtmlParts['allowed']) => loadExtension<SanitizeHtml>('surveysHtml', { allowed }),
    }))

  const languageOf = (): string | undefined =>
    config.override_display_language ??
    (store.get<Record<string, string>>('$stored_person_properties')?.language || navigator.language)

  const newProgress = (): SurveyProgress => ({
    surveySubmissionId: uuidv7(),
    lastQuestionIndex: 0,
    visitedIndices: [],
    responses: {},
  })

  /** Shows a survey. Resolves with whether it is visible: another tab may show it, or the view may not load. */
  const show = async (original: Survey, options: ShowOptions = {}): Promise<boolean> => {
    const { container } = options
    // A survey may also be part of the page while its popover is open.
    const id = container ? `${original.id} inline` : original.id
    if (container) open.get(id)?.shown?.remove()
    if (open.has(id)) return true
    const stored = memory.progress(original)
    const entry: Open = { survey: original, isInline: !!container, followsUrl: !!options.followsUrl }
    // Reserved now, so that a second call in the meantime does not show it twice.
    open.set(id, entry)
    const view = await loadView()
    const isShared = mayStore() && !container
    entry.release = isShared
      ? await claim(`survey:${withIteration(original, '_')}`, storageOf('localStorage'), host, () =>
          entry.shown?.remove(),
        )
      : () => {}
    // It may have been closed in the meantime.
    if (!view || !entry.release || isStopped || open.get(id) !== entry) {
      entry.release?.()
      if (open.get(id) === entry) open.delete(id)
      return false
    }
    let isRedrawing = false
    const draw = () => {
      const { survey, language } = translate(original, stored?.surveyLanguage ?? languageOf())
      const progress = { ...(stored ?? newProgress()), surveyLanguage: language }
      const reporter = createReporter(host, memory, { survey, progress }, options.properties, options.skipShownEvent)
      entry.language = language
      entry.reporter = reporter
      entry.shown = view.show({
        survey,
        progress,
        isBegun: !!stored,
        container,
        trigger: options.trigger,
        position: options.position,
        initial: container ? prefillFrom(config, survey, location.search) : (options.initialResponses ?? {}),
        passesAll: !container,
        isRequested: !!options.isRequested,
        reports: {
          ...reporter,
          shown: () => isRedrawing || reporter.shown(),
          gone: () => {
            if (isRedrawing) return
            entry.release?.()
            if (open.get(id) === entry) open.delete(id)
            options.onGone?.()
          },
        },
      })
    }
    try {
      draw()
    } catch (error) {
      // The page has broken what surveys are drawn with.
      log.error('a survey could not be shown', error)
      entry.release()
      open.delete(id)
      return false
    }
    entry.redraw = () => {
      isRedrawing = true
      entry.shown!.remove()
      draw()
      isRedrawing = false
    }
    return true
  }

  return {
    show,
    isOpen: (id: string): boolean => open.has(id),
    /** Whether a popover is open. */
    hasPopover: (): boolean => [...open.values()].some(({ isInline }) => !isInline),
    /** Closes a survey as the visitor does. */
    dismiss: (id: string): void => open.get(id)?.shown?.dismiss(),
    loadView,
    /** Hides automatic popovers while the page's URL does not match. */
    refresh: (): void =>
      open.forEach(({ survey, followsUrl, shown }) => {
        if (followsUrl) shown?.toggle(isOnUrl(survey, facts))
      }),
    /** Shows surveys in the visitor's new language, unless the visitor has answered in the previous language. */
    onLanguageChange: (): void =>
      open.forEach(({ survey, language, redraw }) => {
        if (!memory.progress(survey) && translate(survey, languageOf()).language !== language) redraw?.()
      }),
    onPageLeave: (): void => open.forEach(({ reporter }) => reporter?.left()),
    /** Removes all surveys. */
    closeAll: (): void => {
      ;[...open.values()].forEach(({ shown, release }) => {
        shown?.remove()
        release?.()
      })
      open.clear()
    },
    stop: (): void => {
      isStopped = true
      stops.forEach((stop) => stop())
    },
  }
}

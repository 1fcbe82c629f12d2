import { readSurvey } from '../../../../src/extensions/surveys/isUsable.ts'
import { translate } from '../../../../src/extensions/surveys/language.ts'
import type { ShownSurvey, ShowSurvey, SurveyView, SurveyViewParts } from '../../../../src/host.ts'
import type { Stop, Survey } from '../../../../src/types.ts'
import { HOSTED_STYLE } from '../../../src/surveys/hostedStyle.ts'
import type { FromPreview, PreviewScreen, Theme, ToPreview } from './messages.ts'

// The document that previews a survey: the SDK's script that shows surveys renders the draft sent by the form.

interface Page {
  __trailmark_extensions__?: { surveysView?: { start(host: PreviewHost): Stop } }
}
type PreviewHost = SurveyViewParts & { later: typeof setTimeout }

const post = (message: FromPreview) => parent.postMessage(message, location.origin)

const loadView = (): SurveyView | undefined => {
  let view: SurveyView | undefined
  ;(window as Page).__trailmark_extensions__?.surveysView?.start({
    later: setTimeout.bind(window),
    listen: (target, types, listener, options) => {
      types.forEach((type) => target.addEventListener(type, listener, options))
      return () => types.forEach((type) => target.removeEventListener(type, listener, options))
    },
    // Browsers without a built-in sanitizer show HTML as text.
    loadSanitizer: () => Promise.resolve(undefined),
    use: (loaded) => {
      view = loaded
    },
  })
  return view
}

const view = loadView()
const hostedStyle = new CSSStyleSheet()
hostedStyle.replaceSync(HOSTED_STYLE)
/** Removes the shown survey. */
let clear = () => {}
let latest: ToPreview | undefined

/** Rules for the dark theme. */
const darkRules = new Set<CSSMediaRule>()

/** Applies a theme instead of the operating system's, which media queries use. */
const applyTheme = (sheets: readonly CSSStyleSheet[], theme: Theme) => {
  for (const rule of sheets.flatMap((sheet) => [...sheet.cssRules]))
    if (rule instanceof CSSMediaRule && rule.media.mediaText.includes('prefers-color-scheme')) darkRules.add(rule)
  for (const rule of darkRules) rule.media.mediaText = theme === 'dark' ? 'all' : 'not all'
}

/** A survey with one answered question, used to show its end. */
const atItsEnd = (survey: Survey): Survey => ({
  ...survey,
  questions: [{ type: 'link', question: '' }],
  appearance: { ...survey.appearance, displayIntroScreen: false },
})

const optionsFor = (survey: Survey, screen: PreviewScreen): Omit<ShowSurvey, 'reports'> => ({
  survey: screen === 'thanks' ? atItsEnd(survey) : survey,
  progress: {
    surveySubmissionId: 'preview',
    lastQuestionIndex: typeof screen === 'number' ? screen : 0,
    visitedIndices: [],
    responses: {},
  },
  isBegun: typeof screen === 'number',
  initial: screen === 'thanks' ? { 0: 'link clicked' } : {},
  passesAll: true,
  // Typing in the form must not lose the focus to its preview.
  isRequested: false,
  ...(survey.type === 'external_survey' ? { container: document.getElementById('survey')! } : {}),
})

/** Shows a draft. Returns whether it is complete enough. */
const show = ({ survey: draft, screen, theme, language }: ToPreview): boolean => {
  clear()
  clear = () => {}
  document.documentElement.style.colorScheme = theme
  const complete = readSurvey(draft)
  if (!view || !complete) return false
  const { survey } = translate(complete, language)
  const isHosted = survey.type === 'external_survey'
  document.adoptedStyleSheets = isHosted ? [hostedStyle] : []
  let isCleared = false
  const restart = () => {
    if (!isCleared && latest) show(latest)
  }
  const shown: ShownSurvey = view.show({
    ...optionsFor(survey, screen),
    reports: { shown: () => {}, answered: () => {}, dismissed: () => {}, gone: () => setTimeout(restart) },
  })
  const hasTab = survey.type === 'widget' && survey.appearance?.widgetType !== 'selector'
  const removeTab = hasTab ? view.addWidget(survey, () => {}) : () => {}
  const shadow = document.querySelector('[class^=PostHogSurvey]')?.shadowRoot
  applyTheme([hostedStyle, ...(shadow?.adoptedStyleSheets ?? [])], theme)
  clear = () => {
    isCleared = true
    shown.remove()
    removeTab()
  }
  return true
}

addEventListener('message', ({ source, origin, data }: MessageEvent<ToPreview>) => {
  if (source !== parent || origin !== location.origin || data.type !== 'show') return
  latest = data
  post({ type: show(data) ? 'shown' : 'incomplete' })
})
post({ type: 'ready' })

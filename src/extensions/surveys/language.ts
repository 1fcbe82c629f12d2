import type { Survey, SurveyQuestion } from '../../types'

/** Returns the key of the translation for a language: the same language without regard to case, else the part before "-". */
const keyFor = (translations: object | null | undefined, language: string): string | undefined => {
  const keys = Object.keys(translations ?? {})
  const find = (wanted: string) => keys.find((key) => key.toLowerCase() === wanted.toLowerCase())
  return find(language) ?? find(language.split('-')[0]!)
}

/** Returns `base` with the texts of `translation` that are not empty. */
const withTexts = <T extends object>(base: T, translation: Partial<T> | undefined): T => ({
  ...base,
  ...Object.fromEntries(Object.entries(translation ?? {}).filter(([, text]) => text)),
})

const translateQuestion = (question: SurveyQuestion, language: string): SurveyQuestion => {
  const key = keyFor(question.translations, language)
  const translation = key === undefined ? undefined : question.translations![key]
  // Choices are matched by index, so a translation must have all of them.
  const isComplete = translation?.choices?.length === question.choices?.length
  return withTexts(question, isComplete ? translation : { ...translation, choices: undefined })
}

/** Returns the survey in a language, and the language if a text has changed. */
export const translate = (survey: Survey, language: string | undefined): { survey: Survey; language?: string } => {
  if (!language) return { survey }
  const key = keyFor(survey.translations, language)
  const { name, ...texts } = (key === undefined ? undefined : survey.translations![key]) ?? {}
  const translated: Survey = {
    ...survey,
    name: name || survey.name,
    appearance: withTexts(survey.appearance ?? {}, texts),
    questions: survey.questions.map((each) => translateQuestion(each, language)),
  }
  const used = [key, ...survey.questions.map((each) => keyFor(each.translations, language))].find(Boolean)
  return used && JSON.stringify(translated) !== JSON.stringify({ ...survey, appearance: survey.appearance ?? {} })
    ? { survey: translated, language: used }
    : { survey }
}

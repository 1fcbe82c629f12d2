import type { Question, SurveyDraft } from './surveyApi.ts'

type QuestionTranslation = NonNullable<Question['translations']>[string]
type SurveyTranslation = NonNullable<NonNullable<SurveyDraft['translations']>[string]>

/** Texts of a question that can be translated, besides its choices. */
export const QUESTION_TEXTS = [
  ['question', 'Question'],
  ['description', 'Description'],
  ['lowerBoundLabel', 'Label of the lowest rating'],
  ['upperBoundLabel', 'Label of the highest rating'],
  ['buttonText', 'Label of the button'],
] as const satisfies readonly (readonly [keyof QuestionTranslation & keyof Question, string])[]

/** Texts of the appearance that can be translated. */
export const SURVEY_TEXTS = [
  ['introScreenHeader', 'Introduction'],
  ['introScreenDescription', 'Description of the introduction'],
  ['introScreenButtonText', 'Button of the introduction'],
  ['submitButtonText', 'Label of all submit buttons'],
  ['placeholder', 'Placeholder of text fields'],
  ['widgetLabel', 'Label of the widget'],
  ['thankYouMessageHeader', 'Thank-you message'],
  ['thankYouMessageDescription', 'Description of the thank-you message'],
] as const satisfies readonly (readonly [
  keyof SurveyTranslation & keyof NonNullable<SurveyDraft['appearance']>,
  string,
])[]

/** Returns the languages that a survey is translated into, in the order in which they were added. */
export const languagesOf = ({ translations, questions }: Pick<SurveyDraft, 'translations' | 'questions'>): string[] => [
  ...new Set([translations, ...questions.map((each) => each.translations)].flatMap((each) => Object.keys(each ?? {}))),
]

/** Returns why a language tag cannot be added; undefined if it can. */
export const languageProblem = (tag: string, languages: readonly string[]): string | undefined =>
  !/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag)
    ? 'Enter a language tag, such as de, fr or pt-BR.'
    : languages.some((each) => each.toLowerCase() === tag.toLowerCase())
      ? 'The survey has this language already.'
      : undefined

/** Adds a language without texts. */
export const addLanguage = (draft: SurveyDraft, language: string): Partial<SurveyDraft> => ({
  translations: { ...draft.translations, [language]: {} },
})

const without = <Value>(record: Readonly<Record<string, Value>> | null | undefined, name: string) =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => key !== name))

/** Removes a language with its texts. */
export const removeLanguage = (draft: SurveyDraft, language: string): Partial<SurveyDraft> => ({
  translations: without(draft.translations, language),
  questions: draft.questions.map((question) =>
    question.translations ? { ...question, translations: without(question.translations, language) } : question,
  ),
})

/** Changes texts of a question in a language. */
export const translateQuestion = (
  question: Question,
  language: string,
  texts: Partial<QuestionTranslation>,
): Question => ({
  ...question,
  translations: { ...question.translations, [language]: { ...question.translations?.[language], ...texts } },
})

const filled = <Texts extends object>(texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts).filter(([, text]) => (Array.isArray(text) ? text.some(Boolean) : text)),
  ) as Texts

/** Returns translations without empty texts and, for those of a question, without languages that have no text. */
export const filledTranslations = (translations: Question['translations']): Question['translations'] =>
  Object.fromEntries(
    Object.entries(translations ?? {})
      .map(([language, texts]) => [language, filled(texts)] as const)
      .filter(([, texts]) => Object.keys(texts).length),
  )
